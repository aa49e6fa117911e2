import { Command } from "commander";
import type { NoteChange } from "./note-changes.js";

/**
 * A command that has to say whether it changes something: what changes is recorded in the operator log. The commands below it are of this
 * class as well.
 */
export class AdminCommand extends Command {
  /** Undefined for a group of commands. */
  kind: "reads" | "changes" | undefined;

  constructor(
    name: string | undefined,
    private readonly noteChange: NoteChange,
  ) {
    super(name);
  }

  override createCommand(name?: string): AdminCommand {
    return new AdminCommand(name, this.noteChange);
  }

  /** What the command does, if it changes nothing. */
  reads<A extends unknown[]>(run: (...given: A) => Promise<void>): this {
    this.kind = "reads";
    return super.action((...given) => run(...(given as A)));
  }

  /** What the command does, if it changes something or hands out an account's data. It is recorded, or not done. */
  changes<A extends unknown[]>(run: (...given: A) => Promise<void>): this {
    this.kind = "changes";
    const noted = this.noteChange(run);
    return super.action((...given) => noted(...(given as A)));
  }

  /** Takes nothing: use `reads` or `changes`. */
  override action(_: never): this {
    throw new Error(`The command ${this.name()} does not say whether it changes something.`);
  }
}
