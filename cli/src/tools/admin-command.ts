import { hostname } from "node:os";
import { fail } from "@shipping/kit/errors";
import { newId, pooledRandom } from "@shipping/kit/ids";
import { redact } from "@shipping/kit/process/log";
import { describeError } from "@shipping/kit/service/finding";
import { Command } from "commander";
import { onAccounts } from "../platform/call-parts.js";
import type { AdminConfig } from "../platform/config.js";
import type { FindPlatform } from "../platform/find-platform.js";
import type { Print } from "./print.js";

/** A command that must state whether it changes something. Changes are written to the operator log. Its subcommands have the same class. */
export class AdminCommand extends Command {
  /** Undefined for a group of commands. */
  kind: "reads" | "changes" | undefined;

  constructor(
    name: string | undefined,
    private readonly logChange: LogChange,
  ) {
    super(name);
  }

  override createCommand(name?: string): AdminCommand {
    return new AdminCommand(name, this.logChange);
  }

  reads<A extends unknown[]>(run: (...given: A) => Promise<void>): this {
    this.kind = "reads";
    return super.action((...given) => run(...(given as A)));
  }

  /** Sets the action of a command that changes something or exports an account's data. It does not run if it cannot be logged. */
  changes<A extends unknown[]>(run: (...given: A) => Promise<void>): this {
    this.kind = "changes";
    const logged = this.logChange(run);
    return super.action((...given) => logged(...(given as A)));
  }

  /** Adds examples to the command's help. Each is a complete command line with these arguments. */
  examples(...lines: string[]): this {
    return this.addHelpText("after", () => {
      const names: string[] = [];
      for (let one: Command | null = this; one; one = one.parent) names.unshift(one.name());
      return `\nExamples:\n${lines.map((line) => `  ${[...names, line].join(" ").trimEnd()}`).join("\n")}`;
    });
  }

  /** Use `reads` or `changes` instead, so that each command states whether it changes something. */
  override action(_: never): this {
    throw new Error(`The command ${this.name()} does not say whether it changes something.`);
  }
}

/** Wraps an action: writes it to the operator log before it starts, and its outcome when it has ended. */
export type LogChange = <A extends unknown[]>(action: (...given: A) => Promise<void>) => (...given: A) => Promise<void>;

export function logChanges(platform: FindPlatform, operator: () => string): LogChange {
  return (action) =>
    async (...given) => {
      // commander passes the command itself as the last argument.
      const command = given.at(-1) as Command;
      const found = await platform();
      const id = newId("act", pooledRandom);
      const act = {
        id,
        operator: operator(),
        host: hostname(),
        command: getName(command),
        arguments: shorten(formatArguments(command), MAX_ARGUMENTS_CHARACTERS),
      };
      await onAccounts(found, (gateway) => gateway.beginAct({ act }));
      found.act = id;
      const end = (reason?: string) =>
        onAccounts(found, (gateway) => gateway.endAct({ id, ...(reason !== undefined && { reason }) }));
      try {
        await action(...given);
      } catch (error) {
        // The error itself says more than one of the log, in which the act stays begun.
        await end(shorten(describeError(error), MAX_REASON_CHARACTERS)).catch(() => undefined);
        throw error;
      }
      await end().catch((error) => {
        throw fail("service_unavailable", `Done, but the operator log says begun of ${id}: ${describeError(error)}`);
      });
    };
}

const MAX_ARGUMENTS_CHARACTERS = 2_000;
const MAX_REASON_CHARACTERS = 500;

/** Redacts a text before it is cut, because a part of a secret may not be recognised. */
function shorten(text: string, most: number): string {
  return redact(text).slice(0, most);
}

function getName(command: Command): string {
  const parent = command.parent?.parent ? `${getName(command.parent)} ` : "";
  return `${parent}${command.name()}`;
}

function formatArguments(command: Command): string {
  const options = command.options.flatMap((option) => {
    const value: unknown = command.opts()[option.attributeName()];
    return value === undefined ? [] : [`${option.long} ${String(value)}`];
  });
  return [...command.args, ...options].join(" ");
}

export type Progress = (step: { part: string; table: string; rows: number }) => void;

export interface Tools {
  print: Print;
  /** Prints a secret that was just created. Any other output is redacted. */
  reveal: Print;
  /** Writes an account's own data to standard output, without redaction or an added line break. */
  write(text: string): void;
  /** Prints the progress of a long command every few seconds, if a person is at the terminal. */
  progress: Progress;
  /** Asks the person at the terminal; undefined if there is none. */
  ask: ((question: string) => Promise<string>) | undefined;
  platform: FindPlatform;
  config(): AdminConfig;
}
