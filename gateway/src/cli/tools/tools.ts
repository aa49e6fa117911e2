import type { AdminConfig } from "../platform/config.js";
import type { FindPlatform } from "../platform/find-platform.js";
import type { NoteChange } from "./note-changes.js";
import type { Print } from "./print.js";

/** What every command is given to work with. */
export interface Tools {
  print: Print;
  platform: FindPlatform;
  config(): AdminConfig;
  /** Makes the action of a command that changes something one that the audit of operators knows. */
  change: NoteChange;
}
