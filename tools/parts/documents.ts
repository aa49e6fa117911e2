import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { gaugeOf } from "./chart-facts.js";
import type { PartDeclaration } from "./declaration.js";
import { withSection } from "./marked-section.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

type Row = readonly string[];

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return `\n${line(head)}${line(head.map(() => "---"))}${rows.map(line).join("")}\n`;
}

const and = (names: readonly string[]) => names.join(", ") || "none";

/** Each part with its ports, its calls and its stores. */
export function partsTable(text: string, parts: PartDeclaration[]): string {
  const rows = parts.map(({ name, description, ports, calls, requests, database, bus, offers }) => [
    name,
    description.slice(0, -1),
    Object.entries(ports)
      .map(([key, port]) => `${key} ${port}`)
      .join(", "),
    and([...calls, ...Object.values(requests).map(({ part, port }) => `${part} (${port})`)]),
    database ? "yes" : "no",
    bus ? (bus.ownsStream ? "receives" : "publishes") : "no",
    offers.includes("ledger.v1.LedgerService") ? "yes" : "no",
  ]);
  const head = ["part", "what it has", "ports in the chart", "calls", "database", "event bus", "ledger of answers"];
  return withSection(text, "the parts", table(head, rows));
}

/** The alerts of the chart, as Prometheus gets them with the values by default. */
export function alertsTable(text: string, parts: PartDeclaration[]): string {
  const alerts = parse(readFileSync(join(root, "deploy/chart/files/alerts.yaml"), "utf8"));
  const rows = alerts.groups[0].rules.map((rule: { alert: string; expr: string; for: string }) => [
    `[\`${rule.alert}\`](#${rule.alert.toLowerCase()})`,
    `\`${withParts(rule.expr, parts).replace("CERTIFICATE_SECONDS", String(7 * 86_400))}\``,
    rule.for,
  ]);
  return withSection(text, "alerts", table(["alert", "expression", "for"], rows));
}

function withParts(expression: string, parts: PartDeclaration[]): string {
  const gone = parts.map((part) => `absent(${gaugeOf(part)}{namespace="NAMESPACE",part="${part.name}"})`);
  const answering = parts.filter(({ ports }) => ports.http).map(({ name }) => name);
  return expression.replace("PARTS_GONE", gone.join(" or ")).replaceAll("PUBLIC_PARTS", answering.join("|"));
}

/** Which part answers which public path: the first row that matches. */
export function pathsTable(text: string, parts: PartDeclaration[]): string {
  const rows = parts.flatMap(({ name, paths }) => [
    ...(paths?.exact ?? []).map((path) => [`\`${path}\``, "only this path", name]),
    ...(paths?.prefix ?? []).map((path) => [`\`${path}\``, "all below it, too", name]),
  ]);
  const isRest = ([path, match]: Row) => path === "`/`" && match === "all below it, too";
  const ordered = [...rows.filter((row) => !isRest(row)), ...rows.filter(isRest)];
  return withSection(text, "paths", table(["path", "match", "part"], ordered));
}

/** Which user of the event bus may publish what. */
export function busTable(text: string, parts: PartDeclaration[]): string {
  const rows = parts.flatMap(({ name, bus }) => {
    if (!bus) return [];
    if (bus.ownsStream)
      return [[name, "no events, only requests about the stream `EVENTS` and its own consumer", "every event"]];
    const subjects = (bus.publishes ?? []).map((resource) => `\`events.*.${resource}.*\``);
    return [[name, subjects.join(", "), "the confirmation that the event was stored"]];
  });
  const person = ["operator", "everything: a person with the `nats` command; no part uses it", "everything"];
  return withSection(text, "users", table(["user", "publishes", "receives"], [...rows, person]));
}

/** How many connections the databases need. A rollout adds a replica; migrations, the operator and monitoring need ten. */
export function connectionsTable(text: string, parts: PartDeclaration[]): string {
  const pools = parts.flatMap(({ database }) => (database ? [database.pool] : []));
  const needed = (replicas: number, ...of: number[]) =>
    String((replicas + 1) * of.reduce((sum, pool) => sum + pool, 0) + 10);
  const rows = [1, 2, 4, 8, 16].map((replicas) => [
    String(replicas),
    needed(replicas, Math.max(...pools)),
    needed(replicas, ...pools),
  ]);
  const head = ["replicas of each part", "connections to one part's database", "to a server that holds all databases"];
  return withSection(text, "connections", table(head, rows));
}

/** The command that makes the databases. */
export function databasesLoop(text: string, parts: PartDeclaration[]): string {
  const owners = parts.filter(({ database }) => database).map(({ name }) => name);
  return text.replace(/^( +for part in )[a-z ]+; do$/m, `$1${owners.sort().join(" ")}; do`);
}

/** Who reviews the folder of each part. */
export function codeOwners(text: string, parts: PartDeclaration[]): string {
  return withSection(text, "parts", parts.map(({ name, folder }) => `/${folder}/ @shipping/${name}\n`).join(""));
}
