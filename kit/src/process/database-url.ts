import { accessSync, constants, readFileSync } from "node:fs";
import { type Foreign, findUnknown } from "./url-parameters.js";

const FORM =
  "must be a URL such as postgresql://user:password@host:5432/database, whose special characters are percent-encoded: % as %25, @ as %40, : as %3A, / as %2F, ? as %3F, # as %23";

/**
 * Returns the problem of a database URL. The driver (pg 8.23) would wait for a host that is a piece of a password, or ignore parameters
 * that it does not know.
 */
export function findProblem(text: string): string | undefined {
  // Several hosts are refused: libpq tries one after the other, but pg treats them as one name.
  if (/^\w+:\/\/[^/?]*,[^@,/?]*(?:[/?]|$)/.test(text)) return "must name one host, which leads to the primary";
  const url = parse(text);
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol)) return FORM;
  const { username, password, pathname, search, hash, searchParams } = url;
  if (![username, password, pathname].every(isEncoded) || /[/@]/.test(pathname.slice(1)) || /@/.test(search) || hash)
    return FORM;
  const unknown = findUnknown(searchParams, Object.keys(PARAMETERS), FOREIGN);
  if (unknown) return unknown;
  for (const [name, value] of searchParams) {
    const problem = PARAMETERS[name]!(name, value);
    if (problem) return problem;
  }
  return findContradiction(searchParams);
}

/** The parameters that the driver reads, each with a check of its value. Under `sslmode=`, the driver would connect without TLS. */
const PARAMETERS: Readonly<Record<string, (name: string, value: string) => string | undefined>> = {
  sslmode: oneOf("disable", "require", "verify-full", "no-verify", "prefer", "verify-ca"),
  ssl: oneOf("true", "1", "no-verify"),
  sslnegotiation: oneOf("postgres", "direct"),
  sslrootcert: findFileProblem,
  sslcert: findFileProblem,
  sslkey: findFileProblem,
  host: findEmpty,
  port: (name, value) => (/^\d{1,5}$/.test(value) ? undefined : `needs a number after ${name}=`),
  user: findEmpty,
  password: findEmpty,
  application_name: findEmpty,
  options: findEmpty,
};

/**
 * These are parameters of libpq and JDBC that the driver ignores, of Prisma's own engine, and of the URLs that providers' consoles show, each with
 * what to do instead.
 */
const ADVICE: readonly (readonly [names: string, advice: string])[] = [
  [
    "tls tls_mode sslaccept sslidentity sslpassword sslfactory uselibpqcompat sslenabled",
    "for TLS, use sslmode=verify-full",
  ],
  [
    "connection_limit pool_size pool_max_conns max_connections",
    "DATABASE_POOL sets the number of connections of a part",
  ],
  [
    "connect_timeout pool_timeout socket_timeout statement_timeout query_timeout lock_timeout",
    "the platform sets its own time limits",
  ],
  ["schema currentSchema search_path", "PostgreSQL does not know it, set the search_path of the role instead"],
  ["target_session_attrs load_balance_hosts hostaddr", "the URL names one host, which leads to the primary"],
  ["pgbouncer statement_cache_size prepareThreshold workaround supa", "a pooler is detected automatically"],
  ["channel_binding", "the driver does not enforce it, sslmode=verify-full proves who the server is"],
  ["gssencmode", "the driver has no GSSAPI, remove it"],
  ["sslca", "did you mean sslrootcert=?"],
  ["dbname database", "the name of the database is the path of the URL"],
];
const FOREIGN: Foreign = Object.fromEntries(
  ADVICE.flatMap(([names, advice]) => names.split(" ").map((name) => [name, advice])),
);

function oneOf(...values: string[]) {
  return (name: string, value: string) =>
    values.includes(value) ? undefined : `needs one of these after ${name}=: ${values.join(", ")}`;
}

function findEmpty(name: string, value: string): string | undefined {
  return value === "" ? `needs a value after ${name}=, or not to contain it` : undefined;
}

// The driver silently follows sslmode and ignores the other.
function findContradiction(given: URLSearchParams): string | undefined {
  if (given.has("sslmode") && given.has("ssl")) return "must not contain ssl= beside sslmode=, which decides alone";
  const mode = given.get("sslmode") ?? given.get("ssl");
  const verifies = mode !== "disable" && mode !== "no-verify";
  if (given.has("sslrootcert") && !verifies)
    return `must not contain sslrootcert= beside ${mode}, which verifies no certificate: use sslmode=verify-full`;
  if (given.get("sslnegotiation") === "direct" && mode === "disable")
    return "must not contain sslnegotiation=direct beside sslmode=disable, which is without TLS: use sslmode=verify-full";
  return undefined;
}

function findFileProblem(name: string, file: string): string | undefined {
  if (name === "sslrootcert" && file === SYSTEM) return undefined;
  try {
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    return `${name} cannot be read: ${(error as NodeJS.ErrnoException).code}`;
  }
}

const SYSTEM = "system";

/**
 * libpq reads `sslrootcert=system` as the authorities that the system trusts, and requires `sslmode=verify-full`. pg reads it as the name
 * of a file.
 */
export function withSystemAuthorities(text: string): string {
  const url = parse(text);
  if (url?.searchParams.get("sslrootcert") !== SYSTEM) return text;
  return text.replace(/([?&])sslrootcert=system(&|$)/, (_, before, after) => {
    const verify = url.searchParams.has("sslmode") ? "" : "sslmode=verify-full";
    return verify ? `${before}${verify}${after}` : after && before;
  });
}

// The folder of a socket is a parameter, so there is no host.
function parse(text: string): URL | undefined {
  const whole = text.replace(/^(\w+:\/\/[^/?#@]*)@\//, "$1@localhost/");
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

/** Returns whether every percent sign of a text begins an escape. */
export function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads the current URL of a database from a file, for passwords that are replaced while a process runs. */
export function readDatabaseUrl(file: string): string {
  return withSystemAuthorities(readFileSync(file, "utf8").trim());
}
