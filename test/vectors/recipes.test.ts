import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { eventually } from "@shipping/kit/testing/eventually";
import { sign } from "@shipping/webhooks/dispatch/signature";
import { freePort } from "../platform/free-port.js";
import { type Command, type Language, languages, recipeFiles, versionHere } from "./recipe-languages.js";
import type { Vector } from "./webhook-vectors.js";

const page = readFileSync(join(import.meta.dirname, "../../docs/webhook-recipes.md"), "utf8");
const vectors: Vector[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../docs/webhook-vectors.json"), "utf8"),
);
const secret = "whsec_GFn7PJ+v7jFMVLLhDAIHnOJaFzFczq7pBL+Nh4Zq/2o=";

const here = languages.flatMap((language) => {
  const version = versionHere(language);
  return version === undefined ? [] : [{ ...language, version }];
});
const absent = languages.map(({ name }) => name).filter((name) => !here.some((language) => language.name === name));
const listed = here.map(({ name, version }) => `${name} ${version}`).join(", ");

// A compiler builds its standard library at its first use.
const BUILD_MS = 180_000;

describe("recipes of docs/webhook-recipes.md", () => {
  test(`run here in ${listed}; not on this machine: ${absent.join(", ") || "none"}`, () => {
    expect(here.map(({ name }) => name)).toContain("Node");
  });

  test.each(languages)("$name: two files, compared in constant time", (language) => {
    const [verify, receiver, ...others] = recipeFiles(page, language).values();
    expect(verify).toContain(language.comparison);
    expect(receiver).toContain("WEBHOOK_SECRET");
    expect(others).toEqual([]);
  });
});

describe.each(here)("the recipe in $name $version", (language) => {
  const { runners, build, verify, receive } = language;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "shipping-recipe-"));
    for (const [file, code] of recipeFiles(page, language)) await writeFile(join(folder, file), code);
    for (const file of runners) await copyFile(join(import.meta.dirname, "runners", file), join(folder, file));
    for (const command of build) await output(folder, command);
  }, BUILD_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test(`says of each of the ${vectors.length} vectors whether it is valid`, async () => {
    const lines = vectors.map(({ secret, header, body, now }) => [secret, base64(header), body, now].join("\t"));
    const said = await answers(folder, verify, lines);
    expect(vectors.map(({ name }, index) => `${name}: ${said[index]}`)).toEqual(
      vectors.map(({ name, valid }) => `${name}: ${valid}`),
    );
  });

  test("refuses a signed body of more than 256 KiB", async () => {
    const bodies = [262_144, 262_145].map((bytes) => eventOf("e", bytes));
    const lines = bodies.map((body) =>
      [secret, ...[sign(secret, 1_790_000_000, Buffer.from(body)), body].map(base64), 1_790_000_000].join("\t"),
    );
    expect(await answers(folder, verify, lines)).toEqual(["true", "false"]);
  });

  test("answers 204 to what is signed and 400 to the rest, and works once on each event", async () => {
    const server = await serve(folder, receive, secret);
    const times = (event: string) => server.printed().split(dataIdOf(event)).length - 1;
    const small = eventOf("a");
    const large = eventOf("b", 65_536);
    try {
      await eventually(async () => expect(await server.post(small)).toBe(400));
      expect(await server.post(small, signed(small))).toBe(204);
      expect(await server.post(small, signed(small, secret, -60))).toBe(204);
      expect(await server.post(small, signed(small, secret, -400))).toBe(400);
      expect(await server.post(small.replace("draft", "DRAFT"), signed(small))).toBe(400);
      expect(await server.post(large, signed(large))).toBe(204);
      await eventually(() => expect([times(small), times(large)]).toEqual([1, 1]));
    } finally {
      await server.end();
    }
  });

  // PHP's development server reads the whole announced body before the recipe begins.
  const testBound = language.name === "PHP" ? () => undefined : test;
  testBound("reads no body to its end that is too long, or says that it has fewer bytes than none", async () => {
    const server = await serve(folder, receive, secret);
    try {
      await eventually(async () => expect(await server.post("{}")).toBe(400));
      for (const length of [`Content-Length: ${2 ** 40}`, "Content-Length: -1", "Transfer-Encoding: chunked"])
        expect(await server.bytesTaken(length, signed("{}"))).toBeLessThan(64 * 1024 * 1024);
      expect(await server.post("{}")).toBe(400);
    } finally {
      await server.end();
    }
  });

  // The changes to bodies and IDs that docs/versioning.md allows.
  test("works on events with other white space, another order of members and IDs of another form", async () => {
    const server = await serve(folder, receive, secret);
    const events = ["evt_ABC3", "evt_01-abc4"].flatMap((id) => {
      const { type, data, ...others } = { ...JSON.parse(eventOf("d")), id };
      return [
        JSON.stringify({ data: { ...data, id: `shp_${id}_1` }, type, ...others, id: `${id}_1` }),
        JSON.stringify({ type, ...others, id: `${id}_2`, data: { ...data, id: `shp_${id}_2` } }, null, 2),
      ];
    });
    const times = (event: string) => server.printed().split(dataIdOf(event)).length - 1;
    try {
      await eventually(async () => expect(await server.post("{}")).toBe(400));
      for (const event of [...events, ...events]) expect(await server.post(event, signed(event))).toBe(204);
      await eventually(() => expect(events.map(times)).toEqual(events.map(() => 1)));
      // The recipe without a parser refuses an event without an ID, so that it is sent again.
      if (language.name === "Java") expect(await server.post("{}", signed("{}"))).toBe(500);
    } finally {
      await server.end();
    }
  });

  test("takes nothing while it has no secret", async () => {
    const server = await serve(folder, receive, "");
    const event = eventOf("c");
    const answer = async () => (server.isRunning() ? server.post(event, signed(event, "")) : "ended");
    try {
      expect(["ended", 500]).toContain(await eventually(answer));
    } finally {
      await server.end();
    }
  });
});

/** The event of a shipment, with the given length. */
function eventOf(letter: string, bytes = 0): string {
  const id = letter.repeat(26);
  const head = `{"id":"evt_${id}","type":"shipment.created","livemode":false,"created_at":"2026-11-21T09:30:00.000Z",`;
  const data = `"data":{"id":"shp_${id}","object":"shipment","status":"draft","reference":"🚚 1e21`;
  const end = '"}}';
  return `${head}${data}${"x".repeat(Math.max(0, bytes - Buffer.byteLength(head + data + end)))}${end}`;
}

function dataIdOf(event: string): string {
  return JSON.parse(event).data.id;
}

function signed(body: string, by = secret, secondsFromNow = 0): string {
  return sign(by, Math.floor(Date.now() / 1000) + secondsFromNow, Buffer.from(body));
}

/** The recipe's server, in a process of its own on a free port. */
async function serve(folder: string, receive: Language["receive"], webhookSecret: string) {
  const port = await freePort();
  const env = { PORT: String(port), WEBHOOK_SECRET: webhookSecret, EVENTS_FOLDER: folder };
  const child = start(folder, receive(port), env);
  const ended = once(child, "exit");
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (printed += chunk));
  return {
    printed: () => printed,
    isRunning: () => child.exitCode === null,
    async post(body: string, signature?: string): Promise<number> {
      const headers = {
        "content-type": "application/json; charset=utf-8",
        ...(signature && { "service-signature": signature }),
      };
      return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).status;
    },
    /** How much of an endless body it reads before it responds or closes the connection. */
    async bytesTaken(framing: string, signature: string): Promise<number> {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      const over = new Promise((resolve) => socket.once("data", resolve).once("close", resolve));
      let isOver = false;
      over.then(() => (isOver = true));
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nService-Signature: ${signature}\r\n${framing}\r\n\r\n`);
      const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
      while (!isOver && socket.bytesWritten < 256 * 1024 * 1024)
        if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), over]);
      socket.destroy();
      return socket.bytesWritten;
    },
    async end(): Promise<void> {
      child.kill();
      await ended;
    },
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** The output of a language's `verify` for each line. */
async function answers(folder: string, verify: Command, lines: readonly string[]): Promise<string[]> {
  return (await output(folder, verify, `${lines.join("\n")}\n`)).trimEnd().split(/\r?\n/);
}

// Go downloads neither modules nor another version of itself, and needs no C compiler. Its build cache is the default one.
const offline = { GOPROXY: "off", GOTOOLCHAIN: "local", GOFLAGS: "", CGO_ENABLED: "0" };

function start(folder: string, [program, ...args]: Command, env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(program, args, { cwd: folder, env: { ...process.env, ...offline, ...env } });
}

/** The output of a command. Throws if the command fails. */
async function output(folder: string, command: Command, input = ""): Promise<string> {
  const child = start(folder, command);
  child.stdin?.end(input);
  const ended = once(child, "exit");
  const [printed, complaint] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  const [code] = await ended;
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${complaint}`);
  return printed;
}
