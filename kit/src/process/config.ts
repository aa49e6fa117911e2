import { isIPv6 } from "node:net";
import { inspect } from "node:util";
import { z } from "zod";
import { RELEASE } from "../release.js";
import { findProblem, readDatabaseUrl, withSystemAuthorities } from "./database-url.js";
import { logSettings } from "./log.js";
import { resourceSettings } from "./tracing.js";
import { findUrlProblem } from "./url-parameters.js";

export type Env = Readonly<Record<string, string | undefined>>;

/** The environment is invalid; the message names every wrong key and its rule. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

const secrets = z.registry<{ secret: true }>();

/** Marks a setting as secret: it is printed as `[secret]`. */
export function secret<S extends z.ZodType>(schema: S): S {
  secrets.add(schema as z.ZodType, { secret: true });
  return schema;
}

/** A TCP port; 0 selects a free one. */
export const port = () => z.coerce.number().int().min(0).max(65535);

/** A whole number of at least 1. */
export const positiveInt = () => z.coerce.number().int().min(1);

const share = () => z.coerce.number().min(0).max(1);

/** The URL of a PostgreSQL database. A message never quotes a piece of the URL, which may be a piece of the password. */
export const databaseUrl = () => secret(checked(findProblem).transform(withSystemAuthorities));

/** An optional text, with its meaning for documents and messages. */
const text = (meaning: string) => z.string().optional().describe(meaning);

/** `true` or `false`. */
export const flag = () => z.enum(["true", "false"]).transform((text) => text === "true");

/**
 * One URL, whose host is resolved to all its IP addresses, or several separated by commas; HTTP and HTTPS unless `schemes` says otherwise.
 */
export const urlList = (...schemes: string[]) => {
  const allowed = schemes.length > 0 ? schemes : HTTP;
  const form = `must be one or more URLs such as ${allowed[0]}://host:port, separated by commas`;
  const find = (url: string) => findUrlProblem(url.trim(), { schemes: allowed, form });
  return checked((text) => text.split(",").map(find).find(Boolean));
};

/** One HTTP or HTTPS URL, which may have a path if `paths` is set. */
export const httpUrl = (allowed: { paths?: true } = {}) =>
  checked((text) =>
    findUrlProblem(text, { schemes: HTTP, form: "must be a URL such as http://host:port", ...allowed }),
  );

const HTTP = ["http", "https"];

/** A text that `find` checks. Its messages leave out the text, which may contain a password. */
export function checked(find: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const problem = find(text);
    if (problem) context.addIssue({ code: "custom", message: problem });
  });
}

/** Returns the URL at which this machine reaches a server that listens on `host`, or on all IP addresses. */
export function toOrigin(host: string | undefined, port: number): string {
  if (host === undefined || host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The settings of a process that speaks mutual TLS with the parts; either all three or none are set. */
export const tlsSettings = {
  TLS_CERT_FILE: text("this part's certificate; with TLS_KEY_FILE and TLS_CA_FILE it turns on mutual TLS"),
  TLS_KEY_FILE: text("the certificate's private key"),
  TLS_CA_FILE: text("certificate authority of the parts, the only one that is trusted"),
};

const buildSettings = {
  BUILD_REVISION: z.string().default("unknown").describe("commit that runs, for `build_info`; an image sets it"),
};

/** The environment of this process. */
export const currentEnv = (): Env => process.env;
/** Returns the release and the commit that this process runs. */
export function buildInfo(env: Env = process.env): { version: string; revision: string } {
  return { version: RELEASE, revision: readConfig(z.object(buildSettings), env).BUILD_REVISION };
}

/** The settings that every part of the platform has. */
export const processSettings = {
  PORT: port().default(0).describe("port for RPC; 0 picks a free port"),
  OPS_PORT: port().default(0).describe("port for /livez, /readyz and /metrics; 0 picks a free port"),
  HOST: text("IP address to listen on; all if not set"),
  ...tlsSettings,
  RPC_PLAINTEXT_TRUSTS_NETWORK: flag()
    .default(false)
    .describe("allow a production process to start without certificates; anyone who reaches its port is trusted"),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl({ paths: true })
    .optional()
    .describe("URL of the trace collector (OTLP over HTTP); no traces if not set"),
  // The variable is only checked here: OpenTelemetry's exporter reads it itself.
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    z.string().regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, "must be name=value, separated by commas"),
  )
    .optional()
    .describe("headers for the trace collector: name=value, comma-separated, percent-encoded"),
  OTEL_TRACES_SAMPLER_ARG: share().default(1).describe("share of requests to trace, from 0 to 1"),
  ...resourceSettings,
  ...logSettings,
  ...buildSettings,
  NODE_ENV: z.string().default("development").describe("in production, switches for trials and tests are refused"),
};

/** The settings of every part that has a database. */
export const serviceSettings = {
  DATABASE_URL: databaseUrl().describe("this part's own PostgreSQL database"),
  DATABASE_URL_FILE: text("file that contains DATABASE_URL, as an alternative; it is read again for each connection"),
  // pg reads these three variables itself. They are checked here because it treats an unknown mode as plaintext.
  PGUSER: text("user of a DATABASE_URL that names none"),
  PGPASSWORD: secret(z.string())
    .optional()
    .describe("password of a DATABASE_URL that has none, as it is, without percent-encoding"),
  PGSSLMODE: z
    .enum(["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"])
    .optional()
    .describe("sslmode of a DATABASE_URL that has none"),
  DATABASE_POOL: positiveInt()
    .min(3)
    .default(10)
    .describe("maximum database connections; two of them are reserved for lists"),
  ...processSettings,
};

/** The settings with which NATS and the parts that publish or consume events authenticate each other. */
export const busIdentitySettings = {
  NATS_USER: text("NATS user name of this part"),
  NATS_PASSWORD: secret(z.string()).optional().describe("the password of NATS_USER"),
  NATS_PASSWORD_FILE: text("file that contains the password, as an alternative to NATS_PASSWORD"),
  NATS_CREDENTIALS_FILE: text(
    "file with NATS user credentials (JWT and seed) or an NKey seed, as an alternative to a password",
  ),
  NATS_CERT_FILE: text("this part's client certificate for NATS"),
  NATS_KEY_FILE: text("the certificate's private key"),
  NATS_CA_FILE: text("certificate authority of the NATS server; if set, connections without TLS are refused"),
  NATS_TLS_HANDSHAKE_FIRST: flag()
    .optional()
    .describe("connect with TLS before the NATS protocol begins, for servers with handshake_first: true"),
  NATS_ANONYMOUS_TRUSTS_NETWORK: flag()
    .default(false)
    .describe("allow a production process to connect without credentials; anyone who reaches NATS is trusted"),
};

/** The names of the event bus on NATS, the same for all parts of an installation. */
export const busNameSettings = {
  BUS_PREFIX: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,31}$/, "must be 1 to 32 letters, digits and hyphens, and begin with a letter")
    .refine(
      (prefix) => prefix !== "events",
      "must not be events, which the subjects of an installation without a prefix begin with",
    )
    .optional()
    .describe("prefix of the event stream and its subjects, so that several installations can share a NATS account"),
};

/** The settings of the parts that publish or consume events. */
export const busSettings = {
  ...busNameSettings,
  NATS_URL: urlList("nats", "tls")
    .default("nats://127.0.0.1:4222")
    .describe("URL of the NATS server, or several separated by commas"),
  ...busIdentitySettings,
};

/** The setting of the parts that keep the audit log, or changes that belong there. */
export const auditSettings = {
  AUDIT_RETENTION_DAYS: positiveInt()
    .default(400)
    .describe("days to keep the audit log, and changes that no portal stores there"),
};

const migrationSettings = z.object({
  PGUSER: serviceSettings.PGUSER,
  PGPASSWORD: serviceSettings.PGPASSWORD,
  PGSSLMODE: serviceSettings.PGSSLMODE,
  DATABASE_URL: databaseUrl().optional().describe("this part's own PostgreSQL database"),
  DATABASE_URL_FILE: serviceSettings.DATABASE_URL_FILE,
  MIGRATION_DATABASE_URL_FILE: text("file that contains MIGRATION_DATABASE_URL"),
  MIGRATION_DATABASE_URL: databaseUrl()
    .optional()
    .describe("the same database, reached directly and with a role that may change the schema"),
  LOG_LEVEL: serviceSettings.LOG_LEVEL,
});

/** The settings of the process that migrates a part's database. */
export function migrationConfig(env: Env = process.env): { url: string; logLevel: string } {
  const config = readConfig(migrationSettings, env);
  const url = config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL;
  if (!url) throw new ConfigError("DATABASE_URL or MIGRATION_DATABASE_URL must name the database to migrate.");
  return { url, logLevel: config.LOG_LEVEL };
}

/** Reads the settings of a schema, and reports all problems at once. An empty value counts as absent. The result prints its secrets as `[secret]`. */
export function readConfig<S extends z.ZodObject>(schema: S, env: Env): z.output<S> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((key) => (env[key] ? [[key, env[key]] as const] : [])),
  );
  for (const key of ["DATABASE_URL", "MIGRATION_DATABASE_URL"]) {
    const file = given[`${key}_FILE`];
    if (file === undefined) continue;
    if (given[key] !== undefined) throw new ConfigError(`Set either ${key} or ${key}_FILE.`);
    try {
      given[key] = readDatabaseUrl(file);
    } catch (error) {
      throw new ConfigError(`${key}_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    }
  }
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw new ConfigError(problems(schema, given, parsed.error));
  const printed = { value: () => withoutSecrets(schema, parsed.data) };
  return Object.defineProperties(parsed.data as object, { toJSON: printed, [inspect.custom]: printed }) as z.output<S>;
}

function problems(schema: z.ZodObject, given: Env, error: z.ZodError): string {
  const lines = error.issues.map((issue) => {
    const key = String(issue.path[0]);
    const meaning = (schema.shape[key] as z.ZodType | undefined)?.description;
    const problem = issue.code === "invalid_type" && given[key] === undefined ? "is missing" : issue.message;
    return `  ${key}: ${problem}${meaning ? ` (${meaning})` : ""}`;
  });
  return `The configuration is incomplete:\n${lines.join("\n")}`;
}

function withoutSecrets(schema: z.ZodObject, values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, isSecret(schema.shape[key]) ? "[secret]" : value]),
  );
}

// `.optional()`, `.default()` and `.describe()` wrap the schema that was marked.
function isSecret(schema: unknown): boolean {
  if (!(schema instanceof z.ZodType)) return false;
  if (secrets.get(schema)) return true;
  const { innerType, in: input } = schema.def as { innerType?: unknown; in?: unknown };
  return isSecret(innerType) || isSecret(input);
}
