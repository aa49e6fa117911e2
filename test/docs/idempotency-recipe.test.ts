import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fencesOf } from "./fences.js";
import { hasPython } from "./python.js";

const page = readFileSync(join(import.meta.dirname, "../../docs/idempotency.md"), "utf8");
const recipe = fencesOf(page).find(({ language, code }) => language === "python" && code.includes("urllib"))?.code;

const DONE = JSON.stringify({ data: { id: "ord_1" } });
const errorOf = (code: string) => JSON.stringify({ error: { code, message: "…", request_id: "req_1" } });
const JSON_TYPE = { "Content-Type": "application/json" };

type Answer = (response: ServerResponse) => void;
const answer =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { ...JSON_TYPE, ...headers }).end(body);

/** The first response to a request that the recipe has to repeat, and the minimum wait in seconds. */
const passing: readonly [what: string, first: Answer, atLeast?: number][] = [
  ["a connection that is closed without an answer", (response) => response.destroy()],
  [
    "a 201 that is cut off",
    (response) => {
      response.writeHead(201, { ...JSON_TYPE, "Content-Length": 500 }).write(DONE.slice(0, 9));
      setTimeout(() => response.destroy(), 50);
    },
  ],
  ["a 201 with half of its JSON", answer(201, DONE.slice(0, 9))],
  [
    "a refusal that is cut off",
    (response) => {
      response.writeHead(409, { ...JSON_TYPE, "Content-Length": 500 }).write('{"error"');
      setTimeout(() => response.destroy(), 50);
    },
  ],
  ["a proxy's 502", answer(502, "<h1>Bad gateway</h1>", { "Content-Type": "text/html" })],
  ["a proxy's 504 in JSON of its own", answer(504, '{"error":"timeout"}')],
  ["internal_error", answer(500, errorOf("internal_error"))],
  ["a code that is new", answer(503, errorOf("napping"))],
  ["idempotency_in_progress", answer(409, errorOf("idempotency_in_progress"), { "Retry-After": "1" }), 1],
  ["rate_limited", answer(429, errorOf("rate_limited"), { "Retry-After": "2" }), 2],
  [
    "a Retry-After that is a date",
    answer(503, errorOf("service_unavailable"), { "Retry-After": new Date().toUTCString() }),
  ],
  ["a Retry-After that says nothing", answer(503, errorOf("service_unavailable"), { "Retry-After": "soon" })],
];

/** Final responses, and the recipe's output for them. */
const final: readonly [what: string, always: Answer, said: string][] = [
  ["invalid_request", answer(422, errorOf("invalid_request")), "RuntimeError: ('invalid_request', "],
  [
    "carrier_not_configured",
    answer(503, errorOf("carrier_not_configured")),
    "RuntimeError: ('carrier_not_configured', ",
  ],
  ["a firewall's 403", answer(403, "<h1>Forbidden</h1>"), "RuntimeError: (403, "],
  [
    "a Retry-After of hours",
    answer(503, errorOf("service_unavailable"), { "Retry-After": "99999999999999999999999" }),
    "RuntimeError: ('service_unavailable', ",
  ],
];

/** Runs the recipe against a server that first answers as given, and yields its output and its requests. */
async function run(answers: (sent: number) => Answer) {
  const sent: { key: unknown; body: string; at: number }[] = [];
  const server = createServer(async (request, response) => {
    sent.push({ key: request.headers["idempotency-key"], body: await text(request), at: performance.now() });
    answers(sent.length)(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, SHIPPING_URL: `http://127.0.0.1:${port}`, SHIPPING_KEY: "service_test_x" };
  const child = spawn("python3", ["-c", recipe ?? ""], { env });
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  server.close();
  return { sent, printed, complaint };
}

describe("the recipe of docs/idempotency.md", () => {
  test.concurrent.each(passing)("repeats a request after %s", async (_what, first, atLeast = 0.5) => {
    if (!hasPython) return;
    const { sent, printed, complaint } = await run((count) => (count === 1 ? first : answer(201, DONE)));
    expect({ printed, complaint }).toEqual({ printed: "True\n", complaint: "" });
    // The order is created twice, because the first of the three requests is lost.
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
    const [lost, again] = sent;
    expect((again?.at ?? 0) - (lost?.at ?? 0)).toBeGreaterThanOrEqual(atLeast * 1_000 - 20);
  });

  test.concurrent.each(final)("does not repeat a request after %s", async (_what, always, said) => {
    if (!hasPython) return;
    const { sent, complaint } = await run(() => always);
    expect(complaint).toContain(said);
    expect(sent).toHaveLength(1);
  });

  test.concurrent("gives up after four attempts, with waits that grow and are random", async () => {
    if (!hasPython) return;
    const { sent, complaint } = await run(() => answer(502, "<h1>Bad gateway</h1>"));
    expect(complaint).toContain("RuntimeError: (502, ");
    const waits = sent.slice(1).map(({ at }, index) => (at - (sent[index]?.at ?? 0)) / 1_000);
    expect(waits.map((wait, index) => wait >= 0.48 * 2 ** index)).toEqual([true, true, true]);
    expect(recipe).toContain("random.uniform(");
  });
});
