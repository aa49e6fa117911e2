import { inspect } from "node:util";
import { z } from "zod";

/** A process's environment, as `process.env` has it. */
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

/** A TCP port; 0 takes a free one. */
export const port = () => z.coerce.number().int().min(0).max(65535);

/** A whole number of at least 1. */
export const positiveInt = () => z.coerce.number().int().min(1);

/** `true` or `false`. */
export const flag = () => z.enum(["true", "false"]).transform((text) => text === "true");

/** One URL, whose host is resolved to all its addresses, or several separated by commas. */
export const urlList = () =>
  z.string().refine((text) => text.split(",").every((url) => URL.canParse(url.trim())), {
    message: "must be a URL, or several separated by commas",
  });

/** The settings of a process that speaks mutual TLS with the parts: all three or none. */
export const tlsSettings = {
  TLS_CERT_FILE: z
    .string()
    .optional()
    .describe("own certificate; with its key and authority the parts speak mutual TLS"),
  TLS_KEY_FILE: z.string().optional().describe("the certificate's private key"),
  TLS_CA_FILE: z
    .string()
    .optional()
    .describe("authority that signs the certificates of the parts, the only one believed"),
};

/** The settings that every service of the platform has. */
export const serviceSettings = {
  DATABASE_URL: secret(z.string()).describe("this part's own PostgreSQL database"),
  DATABASE_POOL: positiveInt().min(3).default(10).describe("connections to it, at most; two of them are for lists"),
  PORT: port().default(0).describe("where RPC is served; 0 takes a free port"),
  OPS_PORT: port().default(0).describe("where /livez, /readyz and /metrics are served; 0 takes a free port"),
  HOST: z.string().optional().describe("address to listen on; every one if absent"),
  ...tlsSettings,
  RPC_PLAINTEXT_TRUSTS_NETWORK: flag()
    .default(false)
    .describe("lets a production process without certificates start: whoever reaches its port is believed"),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional().describe("collector of traces, over OTLP and HTTP; none if absent"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1).describe("share of requests that are traced"),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "fatal", "silent"])
    .default("info")
    .describe("least level of log lines"),
  FAULT_FILE: z.string().optional().describe("file that names a point at which this process is to end; for tests"),
  NODE_ENV: z.string().default("development").describe("production refuses the switches for trials and tests"),
};

/** How NATS and the parts that publish or consume events authenticate each other. */
export const busIdentitySettings = {
  NATS_USER: z.string().optional().describe("who this part is to NATS, by a password"),
  NATS_PASSWORD: secret(z.string()).optional().describe("the password of NATS_USER"),
  NATS_PASSWORD_FILE: z.string().optional().describe("file that holds it instead"),
  NATS_CREDENTIALS_FILE: z
    .string()
    .optional()
    .describe("a user's credentials (JWT and seed) or the seed of an NKEY, in place of a password"),
  NATS_CERT_FILE: z.string().optional().describe("certificate that this part shows to NATS"),
  NATS_KEY_FILE: z.string().optional().describe("the certificate's private key"),
  NATS_CA_FILE: z
    .string()
    .optional()
    .describe("authority that signs the certificate of NATS; without TLS nothing is said then"),
  NATS_ANONYMOUS_TRUSTS_NETWORK: flag()
    .default(false)
    .describe("lets a production process without any of these connect: whoever reaches NATS is then believed"),
};

/** The settings of the parts that publish or consume events. */
export const busSettings = {
  NATS_URL: z.string().default("nats://127.0.0.1:4222").describe("NATS server, or several separated by commas"),
  ...busIdentitySettings,
};

const migrationSettings = z.object({
  DATABASE_URL: secret(z.string()).optional().describe("the part's own PostgreSQL database"),
  MIGRATION_DATABASE_URL: secret(z.string()).optional().describe("the same, as the role that may change the schema"),
  LOG_LEVEL: serviceSettings.LOG_LEVEL,
});

/** The settings of the process that migrates a part's database. */
export function migrationConfig(env: Env = process.env): { url: string; logLevel: string } {
  const config = readConfig(migrationSettings, env);
  const url = config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL;
  if (!url) throw new ConfigError("DATABASE_URL or MIGRATION_DATABASE_URL must name the database to migrate.");
  return { url, logLevel: config.LOG_LEVEL };
}

const certificate = z.strictObject({ hosts: z.array(z.string()).min(1), uri: z.string().startsWith("spiffe://") });

/** The settings of the process that makes the parts' certificates in a Kubernetes cluster. */
export const certificatesSettings = z
  .object({
    AUTHORITY_SECRET: z.string().describe("Secret that keeps the authority and its key"),
    CERTIFICATES: z
      .string()
      .transform(parseJson)
      .pipe(z.record(z.string(), certificate))
      .describe("for each certificate its Secret, with the hosts and the URI that it is for, as JSON"),
    CERTIFICATE_HOURS: positiveInt().default(2160).describe("how long a certificate is good"),
    CERTIFICATE_RENEW_HOURS: positiveInt().default(720).describe("how long before its end it is replaced"),
    KUBERNETES_SERVICE_HOST: z.string().describe("the cluster's API, as every pod is told"),
    KUBERNETES_SERVICE_PORT: z.coerce.number().int().describe("its port"),
    SERVICE_ACCOUNT_DIR: z
      .string()
      .default("/var/run/secrets/kubernetes.io/serviceaccount")
      .describe("folder with token, ca.crt and namespace"),
    LOG_LEVEL: serviceSettings.LOG_LEVEL,
  })
  .refine((config) => config.CERTIFICATE_RENEW_HOURS < config.CERTIFICATE_HOURS, {
    path: ["CERTIFICATE_RENEW_HOURS"],
    message: "must be less than CERTIFICATE_HOURS",
  });

/** Reads them. */
export function certificatesConfig(env: Env = process.env): z.output<typeof certificatesSettings> {
  return readConfig(certificatesSettings, env);
}

function parseJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "must be JSON" });
    return z.NEVER;
  }
}

/** Reads the settings that a schema names, all problems reported at once; an empty value counts as absent. The result prints its secrets as `[secret]`. */
export function readConfig<S extends z.ZodObject>(schema: S, env: Env): z.output<S> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((key) => (env[key] ? [[key, env[key]] as const] : [])),
  );
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw new ConfigError(problems(schema, parsed.error));
  return Object.defineProperties(parsed.data as object, {
    toJSON: { value: () => printable(schema, parsed.data) },
    [inspect.custom]: { value: () => printable(schema, parsed.data) },
  }) as z.output<S>;
}

function problems(schema: z.ZodObject, error: z.ZodError): string {
  const lines = error.issues.map((issue) => {
    const key = String(issue.path[0]);
    const meaning = (schema.shape[key] as z.ZodType | undefined)?.description;
    return `  ${key}: ${issue.message}${meaning ? ` (${meaning})` : ""}`;
  });
  return `The configuration is not complete:\n${lines.join("\n")}`;
}

function printable(schema: z.ZodObject, values: Record<string, unknown>): Record<string, unknown> {
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
