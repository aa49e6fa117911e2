import { readFileSync } from "node:fs";
import { join } from "node:path";
import { adminCommand } from "@shipping/cli/run-admin";
import type { AdminCommand } from "@shipping/cli/tools/admin-command";

const silent = () => {};
const all = new Map<string, AdminCommand>();
function add(command: AdminCommand, name: string): void {
  if (name) all.set(name, command);
  for (const one of command.commands as AdminCommand[]) add(one, `${name} ${one.name()}`.trim());
}
add(adminCommand({ env: {}, out: silent, err: silent }), "");

const leaves = [...all].filter(([, { commands }]) => commands.length === 0);
const ofKind = (kind: AdminCommand["kind"]) =>
  leaves.filter(([, command]) => command.kind === kind).map(([name]) => name);

describe("every command of admin", () => {
  test("reads or changes, and these are the ones that the operator log records", () => {
    expect(ofKind(undefined)).toEqual([]);
    expect(ofKind("changes").sort()).toEqual([
      "account create",
      "account erase",
      "account export",
      "account resume",
      "account suspend",
      "bus claim",
      "dead-event drop",
      "dead-event retry",
      "delivery resend",
      "derived repair",
      "key create",
      "key revoke",
      "member add",
      "member remove",
      "secrets rotate",
      "sign-in-link",
    ]);
  });

  test("cannot be given an action that says neither", () => {
    const command = all.get("account list")?.createCommand("new");
    expect(() => command?.action(silent as never)).toThrow(
      "The command new does not say whether it changes something.",
    );
  });
});

const guide = readFileSync(join(import.meta.dirname, "../../docs/operations/repair.md"), "utf8");

/** The command at the beginning of a line: its words up to the first that names none. */
function commandIn(line: string): string | undefined {
  const words = line.split(" ");
  const names = words.map((_, n) => words.slice(0, n + 1).join(" "));
  return names.filter((name) => all.has(name)).at(-1);
}

describe("the operations guide", () => {
  const table = /\n\| question +\| command +\|[\s\S]*?\n\n/.exec(guide)?.[0] ?? "";
  const rows = table
    .trim()
    .split("\n")
    .slice(2)
    .map((row) => row.split("|")[2] ?? "");
  const named = rows.flatMap((cell) => {
    const [first = "", ...more] = [...cell.matchAll(/`([^`]+)`/g)].map(([, line = ""]) => line);
    // `dead-event list`, `show`: the later ones omit the group.
    const group = first.split(" ", 1)[0];
    return [first, ...more.map((line) => (line.includes(" ") ? line : `${group} ${line}`))];
  });

  test("asks and answers with commands that exist", () => {
    expect(named.length).toBeGreaterThan(15);
    const leafNames = leaves.map(([name]) => name);
    expect(named.filter((line) => !leafNames.includes(commandIn(line) ?? ""))).toEqual([]);
  });

  test("has a question for every command, except those that set up accounts, keys and the platform", () => {
    const inTable = new Set(named.map(commandIn));
    expect(
      leaves
        .map(([name]) => name)
        .filter((name) => !inTable.has(name))
        .sort(),
    ).toEqual(["account create", "account list", "key create", "key list", "key revoke", "secrets rotate"]);
  });
});
