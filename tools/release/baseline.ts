import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fromBinary } from "@bufbuild/protobuf";
import { type DescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/** The names of what the last release has. A later release that lacks one of these says so to operators, in `docs/operations/changes.md`. */
export interface Baseline {
  release: string;
  /** The SHA-256 of each released migration, by its path. */
  migrations: Record<string, string>;
  /** The names in the tables of `docs/configuration.md`. */
  settings: string[];
  /** The paths in the chart's `values.schema.json`. */
  values: string[];
  /** The fields of each message of the protos, in one line. */
  fields: Record<string, string>;
}

export const BASELINE = "tools/release/baseline.json";
const BUF = fileURLToPath(new URL("../../node_modules/.bin/buf", import.meta.url));

/** Returns the baseline of the last release, or undefined as long as there is none. */
export function readBaseline(root: string): Baseline | undefined {
  const file = join(root, BASELINE);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/** Returns what this tree has. */
export function readTree(root: string, release: string): Baseline {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const cells = [...read("docs/configuration.md").matchAll(/^\|([^|]*)\|/gm)].map(([, cell = ""]) => cell);
  const settings = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name = ""]) => name));
  return {
    release,
    migrations: readMigrations(root),
    settings: [...new Set(settings)].sort(),
    values: pathsIn(JSON.parse(read("deploy/chart/values.schema.json"))).sort(),
    fields: readFields(root),
  };
}

/** Returns the SHA-256 of each migration of the tree, by its path. */
export function readMigrations(root: string): Record<string, string> {
  const parts = ["gateway", ...readdirSync(join(root, "services")).map((name) => `services/${name}`)];
  const folders = parts.map((part) => `${part}/prisma/migrations`).filter((folder) => existsSync(join(root, folder)));
  const paths = folders
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}/migration.sql`))
    .filter((path) => existsSync(join(root, path)));
  const sumOf = (path: string) =>
    createHash("sha256")
      .update(readFileSync(join(root, path)))
      .digest("hex");
  return Object.fromEntries(paths.sort().map((path) => [path, sumOf(path)]));
}

/** Returns the released migrations that are no longer as they were released. */
export function editedMigrations(released: Baseline["migrations"], now: Baseline["migrations"]): string[] {
  return Object.keys(released).filter((path) => now[path] !== released[path]);
}

/** Returns the names of settings, values and fields that a release had, and this tree does not. */
export function removedNames(before: Baseline, now: Baseline): string[] {
  const named = ({ settings, values, fields }: Baseline) => [
    ...settings,
    ...values,
    ...Object.entries(fields).flatMap(([message, names]) => names.split(" ").map((name) => `${message}.${name}`)),
  ];
  const present = new Set(named(now));
  return named(before).filter((name) => !present.has(name));
}

/** The part of JSON Schema that the chart's schema uses. */
interface Schema {
  properties?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
}

function pathsIn({ properties = {}, definitions = {} }: Schema): string[] {
  return Object.entries({ ...properties, ...definitions }).flatMap(([name, schema]) => [
    name,
    ...pathsIn(schema).map((path) => `${name}.${path}`),
  ]);
}

function readFields(root: string): Record<string, string> {
  const args = ["build", "proto", "--exclude-source-info", "-o", "-#format=binpb"];
  const { file } = fromBinary(FileDescriptorSetSchema, execFileSync(BUF, args, { cwd: root, maxBuffer: 1 << 24 }));
  const entries = file.flatMap(({ package: name, messageType }) => messageType.flatMap((one) => fieldsOf(name, one)));
  return Object.fromEntries(entries);
}

function fieldsOf(parent: string, { name, field, nestedType }: DescriptorProto): [string, string][] {
  const own = `${parent}.${name}`;
  const nested = nestedType.flatMap((one) => fieldsOf(own, one));
  return field.length === 0 ? nested : [[own, field.map((one) => one.name).join(" ")], ...nested];
}
