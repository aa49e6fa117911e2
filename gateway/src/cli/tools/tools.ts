import type { AdminConfig } from "../platform/config.js";
import type { FindPlatform } from "../platform/find-platform.js";
import type { Print } from "./print.js";

/** Is told about each step of a long command. */
export type Progress = (step: { part: string; table: string; rows: number }) => void;

/** The dependencies of every command. */
export interface Tools {
  print: Print;
  /** Writes text to standard output, without an end of line of its own. */
  write(text: string): void;
  /** Says how far a long command is, now and then, where somebody is watching. */
  progress: Progress;
  /** Asks the person at the terminal; undefined if there is none. */
  ask: ((question: string) => Promise<string>) | undefined;
  platform: FindPlatform;
  config(): AdminConfig;
}
