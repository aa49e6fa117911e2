import { accessSync, constants, readFileSync } from "node:fs";

const FORM =
  "must be a URL such as postgresql://user:password@host:5432/database, whose special characters are percent-encoded: % as %25, @ as %40, : as %3A, / as %2F, ? as %3F, # as %23";

/** What is wrong with the URL of a database. The driver (pg 8.23) would wait for a host that is a piece of a password, or ignore what it does not know. */
export function findProblem(text: string): string | undefined {
  // Several hosts: libpq tries one after the other, but pg takes them for one name.
  if (/^\w+:\/\/(?:[^/?]*@)?[^@/?]*,[^@/?]*(?:[/?]|$)/.test(text))
    return "must name one host, which leads to the primary";
  const url = parse(text);
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol)) return FORM;
  const { username, password, pathname, search, hash, searchParams } = url;
  if (![username, password, pathname].every(isEncoded) || /[/@]/.test(pathname.slice(1)) || /@/.test(search + hash))
    return FORM;
  if (searchParams.has("schema")) {
    return "must not contain schema=, which PostgreSQL does not know: set the search_path of the role instead";
  }
  return FILES.map((name) => findFileProblem(name, searchParams.get(name))).find(Boolean);
}

const FILES = ["sslrootcert", "sslcert", "sslkey"];

function findFileProblem(name: string, file: string | null): string | undefined {
  if (file === null || (name === "sslrootcert" && file === SYSTEM)) return undefined;
  try {
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    return `${name} cannot be read: ${(error as NodeJS.ErrnoException).code}`;
  }
}

const SYSTEM = "system";

/** In libpq, `sslrootcert=system` means the authorities that the system trusts, and requires `sslmode=verify-full`. In pg, it names a file. */
export function withSystemAuthorities(text: string): string {
  const url = parse(text);
  if (url?.searchParams.get("sslrootcert") !== SYSTEM) return text;
  return text.replace(/([?&])sslrootcert=system(&|$)/, (_, before, after) => {
    const verify = url.searchParams.has("sslmode") ? "" : "sslmode=verify-full";
    return verify ? `${before}${verify}${after}` : after && before;
  });
}

// A socket's folder is a parameter: there is no host.
function parse(text: string): URL | undefined {
  const whole = text.replace(/^(\w+:\/\/[^/?#@]*)@\//, "$1@localhost/");
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads the URL of a database from a file, as it is now: for passwords that are replaced while a process runs. */
export function readDatabaseUrl(file: string): string {
  return withSystemAuthorities(readFileSync(file, "utf8").trim());
}
