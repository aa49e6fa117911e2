import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { z } from "zod";

const root = fileURLToPath(new URL("../..", import.meta.url));

const name = z.string().regex(/^[a-z]+$/, "must be small letters");
const setting = z.string().regex(/^[A-Z][A-Z0-9_]*$/, "must be the name of an environment variable");
const sentence = z.string().regex(/^[A-Z].*\.$/, "must be a sentence");
const port = z.int().min(1).max(65_535);
const amounts = z.strictObject({ cpu: z.string(), memory: z.string(), "ephemeral-storage": z.string() });

const ports = z.strictObject({
  http: port.optional().describe("public HTTP"),
  rpc: port.optional().describe("the calls of other parts and of operators"),
  internal: port.optional().describe("HTTP of other parts only; open if one of `requests` names it"),
  ops: port.describe("health and metrics"),
});

const bus = z.strictObject({
  publishes: z.array(name).min(1).optional().describe("the resources whose events it publishes"),
  ownsStream: z.literal(true).optional().describe("it creates the event stream and consumes it"),
});

const request = z.strictObject({
  part: name,
  port: z.enum(["http", "internal"]),
  description: sentence.optional().describe("for the network policy"),
});

const secret = z
  .strictObject({
    trial: z.literal("keys").optional().describe("the part needs it; a trial makes it, as keys of 32 random bytes"),
    with: setting.optional().describe("the part needs it if this setting is set"),
    optional: z.literal(true).optional().describe("the part takes it if the values name it"),
  })
  .refine((one) => Object.keys(one).length === 1, "must have one of trial, with and optional");

const server = z.strictObject({
  description: sentence,
  with: setting.describe("the setting that makes the part use it"),
  ports: z.array(port).min(1).describe("its usual ports"),
});

/** The fields of a part's `part.yaml`. */
const fields = z.strictObject({
  name: name.describe("The part's name: in logs, in certificates, in the chart and on the command line."),
  description: sentence.describe("The part in one sentence."),
  place: z
    .int()
    .min(1)
    .describe("Its place in lists. Accounts are exported in this order, and erased in the opposite one."),
  optional: z
    .strictObject({
      enabled: z.boolean().describe("whether it runs by default"),
      without: z.string().describe("how the platform is without it, after `Without it,`"),
    })
    .optional()
    .describe("An installation may leave it out."),
  ports: ports.describe("The ports on which it listens."),
  database: z
    .strictObject({ pool: z.int().min(3).describe("connections of each process") })
    .optional()
    .describe("It has a database of its own."),
  gauge: z
    .string()
    .optional()
    .describe(
      "A gauge that each of its processes has from its start, for an alert. With a database, that of the pool.",
    ),
  calls: z.array(name).default([]).describe("The parts that it calls by RPC."),
  requests: z
    .record(setting, request)
    .default({})
    .describe("The parts that it calls by HTTP, by the setting with the URL."),
  offers: z
    .array(z.string().regex(/^[a-z]+\.v\d+\.[A-Z]\w+Service$/))
    .default([])
    .describe("Its RPC services, without the `shipping.` before them."),
  bus: bus.optional().describe("How it uses the event bus. Its user there has its name."),
  paths: z
    .strictObject({ exact: z.array(z.string()).default([]), prefix: z.array(z.string()).default([]) })
    .optional()
    .describe("The public paths that it answers. A prefix is the path itself and what begins with it and a slash."),
  auditRetention: z
    .literal(true)
    .optional()
    .describe("It keeps entries of the audit log, or changes that become some."),
  settings: z
    .record(setting, z.record(z.string(), z.unknown()))
    .default({})
    .describe("Its settings in the values of the chart, each with its JSON schema."),
  secrets: z.record(setting, secret).default({}).describe("Its secret settings beside those of database and bus."),
  servers: z
    .record(z.string(), server)
    .default({})
    .describe("Servers outside of the platform, by their name in the values."),
  receivers: z
    .strictObject({ through: z.string().describe("the server that replaces direct connections") })
    .optional()
    .describe("It sends requests to receivers of customers, which may be anywhere on the internet."),
  ownAuthority: z.literal(true).optional().describe("Its servers may have certificates of a private authority."),
  moved: z.record(z.string(), z.string()).default({}).describe("Values of earlier charts, and where each is now."),
  replicas: z.int().min(1).describe("The number of pods by default."),
  resources: z.strictObject({ requests: amounts, limits: amounts }).describe("Resources of a pod by default."),
  autoscaling: z.strictObject({ maxReplicas: z.int().min(2) }).describe("The limit of the autoscaler by default."),
  promises: z
    .array(
      z
        .string()
        .regex(/^test\/[\w./-]+(\/|\.test\.ts)$/, "must be a test file below test/, or a folder with / at its end"),
    )
    .min(1)
    .describe(
      "Tests of the whole platform that a change of this part can break. `npm run test:part` runs them after the part's own.",
    ),
});

/** The declaration of a part, and its folder in the repository. */
export interface PartDeclaration extends z.infer<typeof fields> {
  folder: string;
}

/** Parses the text of a `part.yaml`. The error names the file, the field, and what it must be. */
export function parseDeclaration(text: string, folder: string): PartDeclaration {
  const { success, data, error } = fields.safeParse(parse(text));
  if (!success) throw new Error(`${folder}/part.yaml: ${z.prettifyError(error)}`);
  return { ...data, folder };
}

/** Reads the declarations of all parts, in the order of their places. */
export function readDeclarations(): PartDeclaration[] {
  const below = (folder: string) => readdirSync(join(root, folder)).map((entry) => join(folder, entry));
  const found = [...below("."), ...below("services")]
    .filter((folder) => existsSync(join(root, folder, "part.yaml")))
    .map((folder) => parseDeclaration(readFileSync(join(root, folder, "part.yaml"), "utf8"), folder))
    .sort((one, other) => one.place - other.place || one.name.localeCompare(other.name));
  return checkReferences(found);
}

/** Checks what one declaration says about another. */
export function checkReferences(parts: PartDeclaration[]): PartDeclaration[] {
  const byName = new Map(parts.map((part) => [part.name, part]));
  const faults = parts.flatMap(({ folder, database, gauge, calls, requests, servers, receivers }) => {
    const says = (text: string) => `${folder}/part.yaml: ${text}`;
    const unknown = calls.filter((other) => !byName.get(other)?.ports.rpc);
    const unanswered = Object.entries(requests).filter(([, { part, port }]) => !byName.get(part)?.ports[port]);
    return [
      ...(database || gauge ? [] : [says("needs a gauge, because it has no database")]),
      ...unknown.map((other) => says(`calls ${other}, which is no part with a port for rpc`)),
      ...unanswered.map(([key, { part, port }]) => says(`requests ${key}: ${part} is no part with the port ${port}`)),
      ...(receivers && !servers[receivers.through]
        ? [says(`receivers: ${receivers.through} is none of its servers`)]
        : []),
    ];
  });
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return parts;
}
