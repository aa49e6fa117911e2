import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { z } from "zod";
import {
  busSettings,
  databaseUrl,
  flag,
  migrationConfig,
  port,
  positiveInt,
  readConfig,
  secret,
  serviceSettings,
  urlList,
} from "./config.js";

const schema = z.object({
  PORT: port().default(8080).describe("where to listen"),
  DATABASE_URL: secret(z.url()).describe("the part's own database"),
  TOKEN: secret(z.string()).optional(),
  RECORDS_URL: urlList().describe("address of records"),
  FAST: flag().default(false),
  LIMIT: positiveInt().default(120),
});
const good = { DATABASE_URL: "postgres://u:p@localhost/d", RECORDS_URL: "http://a:1, http://b:2" };

describe("readConfig", () => {
  test("reads, converts and fills in defaults", () => {
    const config = readConfig(schema, { ...good, PORT: "9000", FAST: "true", OTHER: "ignored" });
    expect({ ...config }).toEqual({ ...good, PORT: 9000, FAST: true, LIMIT: 120 });
  });

  test("an empty value counts as absent", () => {
    expect(readConfig(schema, { ...good, PORT: "" }).PORT).toBe(8080);
  });

  test("reports every key at fault at once, with its meaning", () => {
    const read = () => readConfig(schema, { PORT: "70000", FAST: "yes", RECORDS_URL: "nowhere" });
    expect(read).toThrow(/PORT: .*where to listen/);
    expect(read).toThrow("DATABASE_URL: is missing (the part's own database)");
    expect(read).toThrow(/RECORDS_URL: must be one or more URLs/);
    expect(read).toThrow(/FAST/);
  });

  test("prints secrets as [secret], wrapped or not", () => {
    const config = readConfig(schema, { ...good, TOKEN: "s3cret" });
    for (const text of [JSON.stringify(config), inspect(config)]) {
      expect(text).not.toContain("s3cret");
      expect(text).not.toContain("u:p@");
      expect(text).toContain("[secret]");
    }
    expect(config.TOKEN).toBe("s3cret");
  });
});

describe("DATABASE_URL_FILE", () => {
  const settings = z.object({ DATABASE_URL: databaseUrl(), DATABASE_URL_FILE: z.string().optional() });
  const folder = mkdtempSync(join(tmpdir(), "config-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "url");

  test("holds the URL, which is checked as if it were set", () => {
    writeFileSync(file, "postgresql://u:p@host/d\n");
    expect(readConfig(settings, { DATABASE_URL_FILE: file }).DATABASE_URL).toBe("postgresql://u:p@host/d");
    writeFileSync(file, "mysql://u:p@host/d\n");
    expect(() => readConfig(settings, { DATABASE_URL_FILE: file })).toThrow("DATABASE_URL: must be a URL such as");
  });

  test("that cannot be read, or beside DATABASE_URL, is refused", () => {
    expect(() => readConfig(settings, { DATABASE_URL_FILE: "/nowhere" })).toThrow(
      "DATABASE_URL_FILE cannot be read: ENOENT",
    );
    const both = { DATABASE_URL_FILE: file, DATABASE_URL: "postgresql://u:p@host/d" };
    expect(() => readConfig(settings, both)).toThrow("Set either DATABASE_URL or DATABASE_URL_FILE.");
  });
});

describe("databaseUrl", () => {
  const read = (url: string) => readConfig(z.object({ DATABASE_URL: databaseUrl() }), { DATABASE_URL: url });

  test.each(["postgresql://a,b/d", "postgresql://u:p@a:5432,b:5432/d?target_session_attrs=read-write"])(
    "refuses the several hosts of %s, of which the driver would reach none",
    (url) => {
      expect(() => read(url)).toThrow("DATABASE_URL: must name one host");
      expect(() => migrationConfig({ DATABASE_URL: url })).toThrow("must name one host");
    },
  );

  test.each([
    "postgresql://u:hun#ter2@host:5432/d",
    "postgresql://u:hun/ter2@host:5432/d",
    "postgresql://u:12/ter2@host:5432/d",
    "postgresql://u:12#ter2@host:5432/d",
    "postgresql://u:12?ter2@host:5432/d",
    "postgresql://u:hun%ter2@host/d",
    "mysql://u:ter2@host/d",
    "host=127.0.0.1 password=ter2",
    "postgresql://u:ter2@host:port/d",
  ])("refuses %s, explains percent-encoding, and does not quote the password", (url) => {
    expect(() => read(url)).toThrow(/DATABASE_URL: must be a URL such as postgresql:.* percent-encoded: .*@ as %40/);
    expect(() => read(url)).not.toThrow(/ter2/);
  });

  test.each([
    ["postgresql://u:p@host/d?schema=shipping", "must not contain schema=: .* search_path of the role"],
    ["postgresql://u:p@host/d?sslrootcert=/nowhere/ca.crt", "sslrootcert cannot be read: ENOENT"],
    ["postgresql://u:p@host/d?sslcert=/nowhere/part.crt", "sslcert cannot be read: ENOENT"],
    ["postgresql://u:p@host/d?sslkey=/nowhere/part.key", "sslkey cannot be read: ENOENT"],
  ])("refuses %s: %s", (url, reason) => {
    expect(() => read(url)).toThrow(new RegExp(`DATABASE_URL: ${reason}`));
  });

  const unknown = (name: string, meant: string) =>
    `must not contain ${name}=, which is unknown: did you mean ${meant}=`;
  test.each([
    ["ssl_mode=verify-full", unknown("ssl_mode", "sslmode")],
    ["SSLMODE=verify-full", unknown("SSLMODE", "sslmode")],
    ["sslMode=verify-full", unknown("sslMode", "sslmode")],
    ["ssl%6Dod=verify-full", unknown("sslmod", "sslmode")],
    ["sslrootcrt=/ca.crt", unknown("sslrootcrt", "sslrootcert")],
    ["sslmode=verify-full&application-name=x", unknown("application-name", "application_name")],
    ["tls=true", "must not contain tls=: for TLS, use sslmode=verify-full"],
    ["sslaccept=strict", "must not contain sslaccept=: for TLS, use sslmode=verify-full"],
    ["sslmode=require&channel_binding=require", "must not contain channel_binding=: .*sslmode=verify-full proves"],
    ["connection_limit=1", "must not contain connection_limit=: DATABASE_POOL sets"],
    ["pgbouncer=true", "must not contain pgbouncer=: a pooler is detected automatically"],
    ["target_session_attrs=read-write", "must not contain target_session_attrs=: the URL names one host"],
    ["connect_timeout=10", "must not contain connect_timeout=: the platform sets its own time limits"],
    ["dbname=d", "must not contain dbname=: the name of the database is the path"],
    [
      "sslmode=verify-full&weather=fine",
      "has an unknown parameter, number 2 after the question mark: known are sslmode",
    ],
    ["sslmode=disable&sslmode=verify-full", "must contain sslmode= only once"],
    ["sslmode=verify_full", "needs one of these after sslmode=: .*verify-full"],
    ["sslmode=", "needs one of these after sslmode=: .*verify-full"],
    ["sslmode", "needs one of these after sslmode=: .*verify-full"],
    ["sslmode=allow", "needs one of these after sslmode=: .*verify-full"],
    ["sslmode=require?sslmode=verify-full", "needs one of these after sslmode=: .*verify-full"],
    ["ssl=yes", "needs one of these after ssl=: true"],
    ["sslrootcert=", "sslrootcert cannot be read: ENOENT"],
    ["port=pg", "needs a number after port="],
    ["application_name=", "needs a value after application_name="],
    ["ssl=true&sslmode=disable", "must not contain ssl= beside sslmode=, which decides alone"],
    ["sslmode=no-verify&sslrootcert=/dev/null", "must not contain sslrootcert= beside no-verify, which verifies no"],
    ["sslnegotiation=direct&sslmode=disable", "must not contain sslnegotiation=direct beside sslmode=disable"],
    ["sslmode=verify-full#x", "must be a URL such as"],
  ])("refuses the parameters %s, in one line: %s", (parameters, reason) => {
    const settings = { DATABASE_URL: `postgresql://u:p@host/d?${parameters}` };
    const refusal = new RegExp(`^The configuration is incomplete:\n  DATABASE_URL: ${reason}[^\n]*$`);
    expect(() => readConfig(z.object({ DATABASE_URL: databaseUrl() }), settings)).toThrow(refusal);
    expect(() => migrationConfig({ MIGRATION_DATABASE_URL: settings.DATABASE_URL })).toThrow(
      /MIGRATION_DATABASE_URL: /,
    );
  });

  test("does not print an unknown name, which may be a piece of a password that is not percent-encoded", () => {
    for (const url of ["postgresql:///d?host=/run&user=u&password=a&hunter2=b", "postgresql://host/d?hunter2"])
      expect(() => read(url)).toThrow(/^(?!.*hunter2).*has an unknown parameter, number \d/s);
  });

  test.each([
    ["?sslrootcert=system", "?sslmode=verify-full"],
    ["?sslmode=verify-full&sslrootcert=system", "?sslmode=verify-full"],
    ["?sslrootcert=system&sslmode=verify-full", "?sslmode=verify-full"],
  ])("takes %s, as libpq does, for the authorities that the system trusts", (given, meant) => {
    const url = "postgresql://u:p@host/d";
    expect(new URL(read(url + given).DATABASE_URL).searchParams.toString()).toBe(meant.slice(1));
  });

  test.each([
    "postgresql://u:p%40%2F%23%3F%25@a:5432/d",
    "postgres://u@[::1]/d",
    "postgresql://u:p,q@a:5432/d",
    "postgresql://u@a/d?options=-c%20x=1,2",
    "postgresql:///d?host=/run/a,b",
    "postgresql:///d?host=/run/a&port=5433&user=u&password=p",
    "postgresql://u:p@host/d?sslmode=require&sslnegotiation=direct&application_name=x&options=endpoint%3Dx",
    "postgresql://u:p@host/d?ssl=true&sslrootcert=/dev/null",
    "postgresql://u:p@host/d?sslmode=no-verify",
    "postgresql://u:p@/d?host=/run/a",
  ])("takes %s", (url) => expect(read(url).DATABASE_URL).toBe(url));
});

test("DATABASE_POOL leaves a connection beside the two for lists", () => {
  const read = (size: string) =>
    readConfig(z.object({ DATABASE_POOL: serviceSettings.DATABASE_POOL }), { DATABASE_POOL: size });
  expect(read("3").DATABASE_POOL).toBe(3);
  expect(() => read("2")).toThrow("DATABASE_POOL");
});

describe("urlList", () => {
  const read = (url: string) => readConfig(z.object({ RECORDS_URL: urlList() }), { RECORDS_URL: url });

  const parameters =
    "must not contain ? or #: it takes no parameters (for TLS, it begins with https://), and a password";
  test.each([
    ["http://a:1?tls=true", parameters],
    ["http://a:1, http://b:1/#x", parameters],
    ["http://a:1/rpc", "must not contain a path"],
    ["HTTP://a:1", "must be one or more URLs such as http://host:port"],
  ])("refuses %s: %s", (url, reason) => expect(() => read(url)).toThrow(`RECORDS_URL: ${reason}`));

  test.each(["records:7001", "http://a:1,records:7001", "nats://a:4222", "http://", "http://a:1,", "a"])(
    "refuses %s, naming the setting and the form it takes",
    (url) =>
      expect(() => read(url)).toThrow(
        "RECORDS_URL: must be one or more URLs such as http://host:port, separated by commas",
      ),
  );

  test.each(["http://a:1", "https://a.b, http://[::1]:2/"])("takes %s", (url) =>
    expect(read(url).RECORDS_URL).toBe(url),
  );

  test("takes the schemes that it is given, and no others: those of NATS_URL are nats and tls", () => {
    const read = (url: string) => readConfig(z.object({ NATS_URL: busSettings.NATS_URL }), { NATS_URL: url });
    expect(read("nats://a:4222, tls://b").NATS_URL).toBe("nats://a:4222, tls://b");
    for (const url of ["localhost:4222", "http://a:4222", "nats:a", "nats://", "TLS://a"])
      expect(() => read(url)).toThrow("NATS_URL: must be one or more URLs such as nats://host:port");
    for (const url of ["nats://a:4222?tls=true", "nats://a, nats://b/?tls_required"])
      expect(() => read(url)).toThrow(/NATS_URL: must not contain \? .*for TLS, it begins with tls:\/\//);
  });
});

test.each(["verify_full", "true"])("PGSSLMODE is refused as %s, which pg would take for plaintext", (PGSSLMODE) => {
  expect(() => migrationConfig({ ...good, PGSSLMODE })).toThrow("PGSSLMODE: ");
});

test("OTEL_EXPORTER_OTLP_ENDPOINT has a scheme, without which the host would be taken for one, and no parameters, behind which the exporter would add its path", () => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT } = serviceSettings;
  const read = (url: string) =>
    readConfig(z.object({ OTEL_EXPORTER_OTLP_ENDPOINT }), { OTEL_EXPORTER_OTLP_ENDPOINT: url });
  const must = "OTEL_EXPORTER_OTLP_ENDPOINT: must";
  expect(() => read("collector:4318")).toThrow(`${must} be a URL such as http://host:port`);
  expect(() => read("http://collector:4318?insecure=false")).toThrow(`${must} not contain ?`);
  for (const url of ["http://collector:4318", "https://collector/v1"])
    expect(read(url).OTEL_EXPORTER_OTLP_ENDPOINT).toBe(url);
});
