import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { parts } from "@shipping/local/parts";
import { busAuthorization, newBusPasswords } from "@shipping/local/servers/bus-users";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { findNatsServer } from "@shipping/local/servers/find-nats-server";
import pg from "pg";
import { chart, run, tools } from "../chart/rendered.js";
import { ownNats } from "../platform/bus.js";
import { freePort } from "../platform/free-port.js";
import { fencesOf } from "./fences.js";

// Operators copy the commands of the guide. `test/edge/guide-commands.check.ts` runs those of `admin`, `test/tree/operations-sql.test.ts` the SQL. This
// file runs those of `nats`, `psql`, `openssl` and `nats-server`. Without a cluster, `helm` renders, `kubectl create` makes its object, and for all other
// lines of `kubectl` its own help knows the flags, and the chart the objects.

const root = join(import.meta.dirname, "../..");
const docs = join(root, "docs/operations");
const pages = readdirSync(docs).filter((name) => name.endsWith(".md"));
const folder = mkdtempSync(join(tmpdir(), "operations-commands-"));
afterAll(() => rmSync(folder, { recursive: true }));

const textOf = (page: string) => readFileSync(join(docs, page), "utf8");
const blocks = pages.flatMap((page) =>
  fencesOf(textOf(page))
    .filter(({ language }) => language === "sh")
    .map(({ code }) => ({ page, code: code.replaceAll(/\\\n\s*/g, "") })),
);
/** The lines of blocks and the commands within sentences that begin with a program. */
const lines = [
  ...blocks.flatMap(({ code }) => code.trim().split("\n")),
  ...pages.flatMap((page) => [...textOf(page).matchAll(/`([a-z]+ [^`\n]+)`/g)].map(([, line = ""]) => line)),
];
const of = (program: string) => [...new Set(lines.filter((line) => line.startsWith(`${program} `)))];
const blockWith = (words: string) => blocks.find(({ code }) => code.includes(words))?.code ?? "";

const sh = (code: string, env: object = {}) =>
  promisify(execFile)("bash", ["-euo", "pipefail", "-c", code], {
    cwd: folder,
    env: { ...process.env, PATH: `${tools}${delimiter}${process.env.PATH}`, ...env },
  });

/** The `nats` command, which Go builds once into the folder of the chart's tools. */
function natsCommand(): string {
  const program = join(tools, "nats");
  if (existsSync(program)) return program;
  const env = { ...process.env, GOBIN: tools };
  execFileSync("go", ["install", "github.com/nats-io/natscli/nats@v0.3.0"], { env });
  return program;
}

test("every block of a shell is run, rendered or checked here or by the test of admin's commands", () => {
  const known = /^(?:kubectl|helm|openssl|npm run|NATS_PASSWORD_|for part in)/;
  const unknown = blocks.filter(({ code }) => !known.test(code.trim()));
  expect(unknown).toEqual([]);
});

test.each(of("nats"))("%s, as the user operator", async (line) => {
  const passwords = newBusPasswords();
  const { configFile, env } = busAuthorization(passwords);
  const server = await ownNats(readFileSync(configFile, "utf8"), env);
  try {
    const nc = await connect({ servers: server.url, user: "operator", pass: passwords.operator });
    const { streams, consumers } = await jetstreamManager(nc);
    await streams.add({ name: "EVENTS", subjects: ["events.>"] });
    await consumers.add("EVENTS", { durable_name: "webhooks", ack_policy: "explicit" });
    await consumers.pause("EVENTS", "webhooks", new Date(Date.now() + 600_000));
    const command = line.replace(/^nats /, `${natsCommand()} `);
    const told = { NATS_URL: server.url, NATS_USER: "operator", NATS_PASSWORD: passwords.operator };
    const { stdout } = await sh(`${command} < /dev/null`, { ...told, HOME: folder });
    if (line.includes("info")) expect(stdout).toMatch(/events\.>/);
    if (line.includes("resume")) expect((await consumers.info("EVENTS", "webhooks")).paused).toBeFalsy();
    if (line.includes("consumer rm")) await expect(consumers.info("EVENTS", "webhooks")).rejects.toThrow("not found");
    await nc.close();
  } finally {
    await server.stop();
  }
});

test("the server of the page of the event bus lets its users in with the passwords that are quoted there", async () => {
  const { path } = await findNatsServer({ env: process.env, say: () => {} });
  const port = await freePort();
  const code = blockWith("NATS_PASSWORD_RECORDS").replace(
    "nats-server ",
    `exec ${path} -a 127.0.0.1 -p ${port} -sd ${folder}/bus `,
  );
  const server = execFile("bash", ["-c", `cd ${root}; export ${code.replace(" exec ", "; exec ")}`]);
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on("data", (text) => String(text).includes("Server is ready") && resolve());
    server.once("exit", (status) => reject(new Error(`nats-server ended with ${status}.`)));
  });
  const login = { records: "12345", carrier: 'say "a # b"', webhooks: "$HOME", operator: "10k" };
  for (const [user, pass] of Object.entries(login))
    await (await connect({ servers: `127.0.0.1:${port}`, user, pass, reconnect: false })).close();
  server.removeAllListeners("exit");
  server.kill();
});

test("the loop of the installation makes a database and a role for each part, as an administrator", async () => {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "postgres") });
  try {
    const administrator = new pg.Client({ connectionString: postgres.url("postgres") });
    await administrator.connect();
    await administrator.query("CREATE ROLE administrator LOGIN CREATEDB CREATEROLE PASSWORD 'secret'");
    await administrator.end();
    const url = postgres.url("postgres", "administrator", "secret");
    const { stdout } = await sh(blockWith("for part in").replace("postgresql://ADMINISTRATOR@HOST/postgres", url));
    const made = [...stdout.matchAll(/^([a-z]+) ([0-9a-f]{48})$/gm)];
    expect(made.map(([, part]) => part)).toEqual([...parts].sort());
    for (const [, part = "", password = ""] of made) {
      const client = new pg.Client({ connectionString: postgres.url(part, part, password) });
      await client.connect();
      await client.query("CREATE TABLE made (id text)");
      await client.end();
    }
  } finally {
    await postgres.stop();
  }
});

test("the certificate for a part is made, with the names that the chart expects", async () => {
  await sh(
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.crt -subj /CN=ca",
  );
  const [request = "", secret = ""] = blockWith("openssl req").trim().split("\n");
  await sh(`${request}; openssl verify -CAfile ca.crt tls.crt`);
  const { stdout } = await sh("openssl x509 -in tls.crt -noout -ext subjectAltName,extendedKeyUsage");
  expect(stdout).toMatch(/TLS Web Server Authentication, TLS Web Client Authentication/);
  expect(stdout).toMatch(/DNS:shipping-records, URI:spiffe:\/\/cluster.local\/ns\/shipping\/shipping\/records/);
  const made = JSON.parse((await sh(`${secret} --dry-run=client --output json`)).stdout);
  expect(Object.keys(made.data).sort()).toEqual(["ca.crt", "tls.crt", "tls.key"]);
});

test("the Secret of webhooks is made with the keys that the chart reads", async () => {
  const { stdout } = await sh(`${blockWith("SECRETS_KEYS=").trim()} --dry-run=client --output json`);
  const { data } = JSON.parse(stdout);
  expect(Object.keys(data).sort()).toEqual(["DATABASE_URL", "NATS_PASSWORD", "NATS_USER", "SECRETS_KEYS"]);
  expect(Buffer.from(data.SECRETS_KEYS, "base64").toString()).toMatch(/^first:[\w+/]{43}=$/);
});

test.each(of("helm").filter((line) => / deploy\/chart /.test(`${line} `)))("%s", (line) => {
  mkdirSync(join(folder, "deploy"), { recursive: true });
  const [command = ""] = line.replace("deploy/chart", chart).split(" | ");
  const values = join(chart, "ci/production.yaml");
  const [, verb = "", ...rest] = command.split(/\s+/);
  // Without a cluster, it renders what it would install; the flags about a release that is there are for the verb alone.
  const ofRelease = verb === "upgrade" ? ["--reset-then-reuse-values"] : [];
  const args = rest.map((word) => (word === "values.yaml" ? values : word)).filter((word) => !ofRelease.includes(word));
  const given = args.includes("--values") ? args : [...args, "--values", values];
  const rendering = given.filter(
    (word, at) => word !== "--wait" && word !== "--timeout" && given[at - 1] !== "--timeout",
  );
  const help = run("helm", [verb, "--help"]).text;
  for (const flag of rest.filter((word) => word.startsWith("--"))) expect(help).toMatch(new RegExp(`${flag}\\b`));
  const { status, text } = run("helm", ["template", ...rendering, "--kube-version", "1.34.0"]);
  expect({ status, text: status === 0 ? "" : text }).toEqual({ status: 0, text: "" });
  expect(text).toMatch(/^kind: Deployment$/m);
});

describe("a line of kubectl", () => {
  const rendered = run("helm", [
    "template",
    "shipping",
    chart,
    "--namespace",
    "shipping",
    "--values",
    join(chart, "ci/production.yaml"),
    "--kube-version",
    "1.34.0",
  ]).text;
  const isSecretOf = (name: string) =>
    rendered.includes(`name: ${name}`) || /^shipping-(?:records|webhooks)/.test(name);

  test.each(of("kubectl"))("%s has flags that kubectl knows, and names of the chart", (line) => {
    const [own = ""] = line.split(/ -- | > | \| /);
    const words = own.split(/\s+/).slice(1);
    const bare = words.filter((word, at) => !/^-/.test(word) && words[at - 1] !== "-n");
    const verbs =
      bare[0] === "rollout" || bare[0] === "create" ? bare.slice(0, bare[0] === "create" ? 3 : 2) : bare.slice(0, 1);
    const help = `${run("kubectl", [...verbs.filter((verb) => !/^shipping/.test(verb)), "--help"]).text}${run("kubectl", ["options"]).text}`;
    for (const flag of words.filter((word) => word.startsWith("--"))) expect(help).toContain(flag.split("=")[0]);
    for (const [, kind = "", name = ""] of own.matchAll(/\b(deploy|deployment|secret)[/ ](shipping[\w-]*)/g)) {
      if (kind === "secret") expect(isSecretOf(name)).toBe(true);
      else expect(rendered).toMatch(new RegExp(`kind: Deployment\nmetadata:\n  name: ${name}\n`));
    }
    for (const [, label = ""] of own.matchAll(/(?:-l|--selector) (\S+)/g))
      expect(rendered).toContain(label.replace("=", ": "));
  });
});

test.each([...new Set(lines.filter((line) => /^(?:npm run|npx jest) /.test(line)))])(
  "%s names what is there",
  (line) => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const [, script, trial] = /^npm run (?:-s )?([\w:]+)(?: -- ([\w-]+))?/.exec(line) ?? [];
    if (script) expect(Object.keys(scripts)).toContain(script);
    if (script === "trial" && trial)
      expect(existsSync(join(root, "test/trials", trial === "deliveries" ? "chaos" : trial))).toBe(true);
    const path = /^npx jest .*\b(test\/\S+)/.exec(line)?.[1];
    if (path)
      expect(readdirSync(dirname(join(root, path))).some((name) => name.startsWith(path.split("/").at(-1)!))).toBe(
        true,
      );
  },
);
