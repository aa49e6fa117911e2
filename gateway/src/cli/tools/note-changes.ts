import { hostname } from "node:os";
import type { Command } from "commander";
import { beginAct, endAct } from "../../accounts/operator-log.js";
import type { FindPlatform } from "../platform/find-platform.js";
import { reasonOf } from "../platform/finding.js";
import { onGateway } from "../platform/on-gateway.js";

/** Turns the action of a command into one that is recorded in the operator log before it begins, and again when it has ended. */
export type NoteChange = <A extends unknown[]>(
  action: (...given: A) => Promise<void>,
) => (...given: A) => Promise<void>;

/** Notes changes in the gateway's database. What cannot be noted is not made. */
export function noteChanges(platform: FindPlatform, operator: () => string): NoteChange {
  return (action) =>
    async (...given) => {
      // commander gives the command itself as the last argument.
      const command = given.at(-1) as Command;
      const found = await platform();
      const act = { operator: operator(), host: hostname(), command: nameOf(command), arguments: argumentsOf(command) };
      const id = await onGateway(found, (deps) => beginAct(deps, act));
      try {
        await action(...given);
      } catch (error) {
        await onGateway(found, (deps) => endAct(deps, id, reasonOf(error)));
        throw error;
      }
      await onGateway(found, (deps) => endAct(deps, id));
    };
}

function nameOf(command: Command): string {
  const parent = command.parent?.parent ? `${nameOf(command.parent)} ` : "";
  return `${parent}${command.name()}`;
}

function argumentsOf(command: Command): string {
  const options = command.options.flatMap((option) => {
    const value: unknown = command.opts()[option.attributeName()];
    return value === undefined ? [] : [`${option.long} ${String(value)}`];
  });
  return [...command.args, ...options].join(" ");
}
