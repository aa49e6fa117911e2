import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseAnswers } from "@shipping/kit/testing/raw-http";
import { fencesOf } from "../docs/fences.js";
import { hasPython } from "../docs/python.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { type Customer, newCustomer, told } from "./operations.js";
import { answerOf, headOf, type Sending } from "./wire.js";

let stack: Stack;
let customer: Customer;
let port: number;
beforeAll(async () => {
  stack = await sharedStack();
  customer = await newCustomer(stack);
  port = Number(new URL(stack.baseUrl).port);
});
afterAll(() => stack.stop());

const SLICE = Buffer.alloc(16 * 1024, " ");
const SLICES = 48;

/** Sends a body in 48 slices of 16 KiB and reads the response only after the last one, as many clients do. */
async function sendAllThenRead(target: string, { headers, ...sending }: Sending): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let failure: Error | undefined;
  socket.on("error", (error) => {
    failure = error;
  });
  const length = { "Content-Type": "application/json", "Content-Length": String(SLICE.length * SLICES) };
  const write = (bytes: string | Buffer) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  await write(headOf("POST", target, { ...sending, headers: { ...length, ...headers } }));
  for (let n = 0; n < SLICES; n++) {
    await write(SLICE);
    // The error arrives meanwhile, followed by the end of the connection.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const chunks: Buffer[] = [];
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) chunks.push(chunk);
  socket.destroy();
  if (failure) return `lost: ${failure.message}`;
  return parseAnswers(Buffer.concat(chunks))
    .map((answer) => told(answerOf(answer)))
    .join();
}

describe("a refusal while the body is still coming reaches the client that has asked for the connection's end", () => {
  const ORDERS = "/api/v1/orders";

  test.each<[string, string, () => Sending]>([
    ["401 unauthorized", ORDERS, () => ({})],
    ["404 not_found", "/api/v1/nothing", () => ({})],
    ["422 invalid_request Idempotency-Key", ORDERS, () => ({ key: customer.key })],
    ["413 payload_too_large", ORDERS, () => ({ key: customer.key, headers: { "Idempotency-Key": "a" } })],
    [
      "415 unsupported_media_type",
      ORDERS,
      () => ({ key: customer.key, headers: { "Idempotency-Key": "a", "Content-Type": "text/plain" } }),
    ],
    ["400 bad_request", ORDERS, () => ({ headers: { Host: "a b" } })],
  ])("%s for %s", async (refused, target, sending) => {
    for (let n = 0; n < 5; n++) expect(await sendAllThenRead(target, sending())).toBe(refused);
  });

  test("429 rate_limited", async () => {
    const { key } = await stack.newKey(customer.accountId);
    const sending = { key, headers: { "Idempotency-Key": "" } };
    const outcomes = new Set<string>();
    for (let n = 0; n < 125; n++) outcomes.add(told(answerOf(await oneSmall(sending))));
    expect([...outcomes]).toEqual(["422 invalid_request Idempotency-Key", "429 rate_limited"]);
    expect(await sendAllThenRead(ORDERS, sending)).toBe("429 rate_limited");
  });
});

async function oneSmall(sending: Sending) {
  const socket = connect(port, "127.0.0.1");
  socket.write(headOf("POST", "/api/v1/orders", sending));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return parseAnswers(Buffer.concat(chunks))[0]!;
}

describe("the guides' recipe for Python, if that is here", () => {
  /** The recipe for repeating requests, without the order that it creates at its end. */
  const page = readFileSync(join(import.meta.dirname, "../../docs/idempotency.md"), "utf8");
  const recipe =
    fencesOf(page)
      .find(({ language, code }) => language === "python" && code.includes("urllib"))
      ?.code.split(/^address = /m)[0] ?? "";

  /** The outcomes of ten equal requests with a body of 600,000 bytes. */
  async function outcomes(path: string, key: string): Promise<string[]> {
    const program = `${recipe}
for n in range(10):
    try:
        post(${JSON.stringify(path)}, {"reference": "x" * 600000}, "large", attempts=1)
    except Exception as error:
        print(error.args[0] if isinstance(error, RuntimeError) else repr(error))
`;
    const child = spawn("python3", ["-c", program], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, SHIPPING_URL: stack.baseUrl, SHIPPING_KEY: key },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
    return printed.trim().split("\n");
  }

  const tenTimes = (code: string) => Array.from({ length: 10 }, () => code);

  test("reads the refusals of a body that is too large, of a wrong key and of a wrong path", async () => {
    if (!hasPython) return;
    expect(await outcomes("/orders", customer.key)).toEqual(tenTimes("payload_too_large"));
    expect(await outcomes("/orders", "nobody")).toEqual(tenTimes("unauthorized"));
    expect(await outcomes("/order", customer.key)).toEqual(tenTimes("not_found"));
  });
});
