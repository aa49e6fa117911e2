import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { runInNewContext } from "node:vm";
import { Shipping, webhooks } from "./shipping.js";
import { errorOf } from "./testing/loopback.js";
import { type TestHeaderOptions, testHeader, type VerifyOptions, verify } from "./webhook-signature.js";

interface Vector {
  name: string;
  secret: string;
  header: string;
  body: string;
  now: number;
  valid: boolean;
}

const vectors: Vector[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../docs/webhook-vectors.json"), "utf8"),
);
const { secret, header, body, now } = vectors[0]!;
const event = Buffer.from(body, "base64");
const digest = header.slice(-64);

const at = (seconds: number): VerifyOptions => ({ now: () => seconds * 1000 });
const codeOf = async (promise: Promise<unknown>) => (await errorOf(promise)).code;

describe("webhooks.verify", () => {
  test.each(vectors)("$name: valid is $valid", async (vector) => {
    const said = await verify(Buffer.from(vector.body, "base64"), vector.header, vector.secret, at(vector.now)).then(
      () => "valid",
      ({ code }) => code,
    );
    // Some vectors have a valid signature, but a body that is not JSON.
    expect(vector.valid ? ["valid", "invalid_event"] : ["invalid_signature"]).toContain(said);
  });

  test("yields the event, from bytes, text, a stream, an ArrayBuffer, and a view, of as many bytes as are allowed", async () => {
    const view = Buffer.concat([Buffer.from("before"), event]).subarray(6);
    const whole = Uint8Array.from(event).buffer;
    const stream = new Blob([event]).stream();
    for (const raw of [event, event.toString(), stream, view, whole, new DataView(whole) as unknown as Uint8Array])
      expect(await verify(raw, header, secret, { ...at(now), maxBytes: event.length })).toEqual(
        JSON.parse(event.toString()),
      );
  });

  test("yields the event, from bytes of another realm, such as a test runner's", async () => {
    const foreign: Uint8Array<ArrayBuffer> = runInNewContext("Uint8Array.from(bytes)", { bytes: [...event] });
    expect(foreign.buffer).not.toBeInstanceOf(ArrayBuffer);
    for (const raw of [foreign, foreign.buffer])
      expect(await verify(raw, header, secret, at(now))).toEqual(JSON.parse(event.toString()));
  });

  /** Counts the digests that are computed meanwhile. */
  async function digestsDuring(work: () => Promise<unknown>): Promise<number> {
    const computed = [jest.spyOn(crypto.subtle, "sign"), jest.spyOn(crypto.subtle, "verify")];
    await work();
    const count = computed.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    jest.restoreAllMocks();
    return count;
  }
  const signatures = (count: number) => `t=${now}${`,v1=${"0".repeat(64)}`.repeat(count - 1)},v1=${digest}`;

  test("computes one digest for each secret, however many signatures the header has", async () => {
    const secrets = ["whsec_old", secret];
    expect(await digestsDuring(() => verify(event, signatures(10), secrets, at(now)))).toBe(2);
  });

  test("computes none for more than ten signatures, an old time, or a body above the limit", async () => {
    const long = new Uint8Array(262_145);
    const header = await testHeader({ payload: long, secret, timestamp: now });
    const refused: Parameters<typeof verify>[] = [
      [event, signatures(11), secret, at(now)],
      [event, signatures(1), secret, at(now + 301)],
      [long, header, secret, at(now)],
      // These are 262,145 bytes in half as many characters.
      [`x${"é".repeat(131_072)}`, header, secret, at(now)],
      [event, signatures(1), secret, { ...at(now), maxBytes: event.length - 1 }],
    ];
    for (const call of refused)
      expect(await digestsDuring(async () => expect(await codeOf(verify(...call))).toBe("invalid_signature"))).toBe(0);
  });

  test("reads the stream of a request up to the limit, and not at all if the signature is old", async () => {
    const [pull, cancel] = [jest.fn((to) => to.enqueue(new Uint8Array(65_536))), jest.fn()];
    const endless = () => new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
    expect(await codeOf(verify(endless(), header, secret, at(now + 301)))).toBe("invalid_signature");
    expect(pull).not.toHaveBeenCalled();
    expect(await codeOf(verify(endless(), header, secret, at(now)))).toBe("invalid_signature");
    expect([pull, cancel].map(({ mock }) => mock.calls.length)).toEqual([5, 1]);
    const whole = new ReadableStream<Uint8Array>({
      start(to) {
        for (const half of [event.subarray(0, 9), event.subarray(9)]) to.enqueue(half);
        to.close();
      },
    });
    expect(await verify(whole, header, secret, at(now))).toEqual(JSON.parse(event.toString()));
  });

  test.each<[message: string, signature: unknown, own: string, options: VerifyOptions]>([
    ...[undefined, null, "", []].map((none): [string, unknown, string, object] => [
      "The Service-Signature header is missing.",
      none,
      secret,
      {},
    ]),
    ["The Service-Signature header is malformed.", `${header},`, secret, {}],
    ["The body is longer than 9 bytes.", header, secret, { maxBytes: 9 }],
    ["The signature does not match: the secret is wrong, or the body was changed.", header, "whsec_other", {}],
  ])("%s", async (message, signature, own, options) => {
    const error = await errorOf(verify(event, signature as string, own, { ...at(now), ...options }));
    expect(error).toMatchObject({ code: "invalid_signature", message });
  });

  test.each([-301, 301])("refuses a time that is %i s away, and says so", async (seconds) => {
    expect(await errorOf(verify(event, header, secret, at(now + seconds)))).toMatchObject({
      code: "invalid_signature",
      message: `Signed 301 s ${seconds < 0 ? "ahead of" : "behind"} this machine's clock.`,
    });
  });

  test("tolerance 0 takes this very second alone, and an invalid clock refuses every delivery", async () => {
    const options = { toleranceSeconds: 0, now: () => now * 1000 + 999 };
    await verify(event, header, secret, options);
    expect(await codeOf(verify(event, header, secret, { ...options, ...at(now + 1) }))).toBe("invalid_signature");
    expect(await codeOf(verify(event, header, secret, at(Number.NaN)))).toBe("invalid_signature");
  });

  test("any of several v1 and of several secrets is enough, while secrets change", async () => {
    const [time, wrong] = [`t=${now}`, "0".repeat(64)];
    await verify(event, `${time},v1=${wrong},v1=${digest}`, secret, at(now));
    await verify(event, `${time},v1=${digest},v1=${wrong}`, secret, at(now));
    expect(await codeOf(verify(event, `${time},v1=${wrong},v1=${wrong}`, secret, at(now)))).toBe("invalid_signature");
    for (const secrets of [["whsec_old", secret], [secret, "whsec_new"], [secret]])
      await verify(event, header, secrets, at(now));
    expect(await codeOf(verify(event, header, ["whsec_old"], at(now)))).toBe("invalid_signature");
  });

  test("what lenient verifiers take is refused", async () => {
    const future = `t=${now + 31_536_000},v1=${digest}`;
    for (const lenient of [future, `t=${now}junk,v1=${digest}`, `t=1,t=${now},v1=${digest}`])
      expect(await codeOf(verify(event, lenient, secret, at(now)))).toBe("invalid_signature");
  });

  test.each([
    ...["null", "5", "[]", '"x"'].map((text) => [text, "not a JSON object", undefined] as const),
    ...["", "{"].map((text) => [text, "not JSON", "SyntaxError"] as const),
  ])("the signed body %j is no event", async (payload, what, cause) => {
    const error = await errorOf(verify(payload, await testHeader({ payload, secret }), secret));
    expect(error).toMatchObject({
      code: "invalid_event",
      message: expect.stringMatching(new RegExp(` is ${what}\\.$`)),
    });
    expect((error.cause as Error | undefined)?.name).toBe(cause);
  });

  const ofAll = "signature must be the value of the header Service-Signature, not an object of all headers.";
  const wrong = (sentence: string, option: string, ...values: unknown[]) =>
    values.map((value) => [sentence, option, value] as const);
  test.each([
    ...wrong("secret must not be an empty list.", "secret", []),
    ...wrong("secret must be the complete whsec_… string.", "secret", "", "whsec_", secret.slice(6)),
    ...wrong("secret must be the complete whsec_… string.", "secret", undefined, [[secret]], [secret, ""]),
    ...wrong(
      "toleranceSeconds must be a number of 0 or more.",
      "toleranceSeconds",
      Number.NaN,
      -1,
      Number.POSITIVE_INFINITY,
    ),
    ...wrong("maxBytes must be an integer above 0.", "maxBytes", 0, Number.NaN, 1.5, "9"),
    ...wrong("now must be a function.", "now", now),
    ...wrong(ofAll, "signature", new Headers({ "service-signature": header }), { "service-signature": header }),
  ])("%s", async (message, option, value) => {
    const {
      signature,
      secret: own,
      ...options
    }: Record<string, unknown> = { signature: header, secret, ...at(now), [option]: value };
    const call = verify(event, signature as string, own as string, options);
    expect(await errorOf(call)).toMatchObject({ code: "invalid_argument", message });
  });
});

describe("webhooks.testHeader", () => {
  const signedOnce = vectors.filter(({ valid, header }) => valid && /^t=\d+,v1=[0-9a-f]{64}$/.test(header));
  const secret = "whsec_test";
  const payload = '{"id":"evt_1","type":"label.created"}';

  test("signs as the platform does", async () => {
    expect(signedOnce.length).toBeGreaterThan(10);
    for (const { header, body, secret: own } of signedOnce) {
      const timestamp = Number(/^t=(\d+)/.exec(header)?.[1]);
      expect(await testHeader({ payload: Buffer.from(body, "base64"), secret: own, timestamp })).toBe(header);
    }
  });

  test("is signed now unless a time is given, and a receiver over HTTP takes it", async () => {
    const server = createServer(async (request, response) => {
      const signature = request.headers["service-signature"];
      const event = await webhooks.verify(await buffer(request), signature, secret).catch(() => undefined);
      response.writeHead(event ? 204 : 400).end();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const send = async (options: Partial<TestHeaderOptions>) => {
      const header = await testHeader({ payload, secret, ...options });
      return (await fetch(url, { method: "POST", body: payload, headers: { "service-signature": header } })).status;
    };
    try {
      expect(await send({})).toBe(204);
      expect(await send({ timestamp: Math.floor(Date.now() / 1000) - 400 })).toBe(400);
      expect(await send({ secret: "whsec_other" })).toBe(400);
      expect(await send({ payload: `${payload} ` })).toBe(400);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test.each([
    ...[{ payload: { id: "evt_1" } }, { payload: undefined }, { secret: "test" }, { secret: undefined }],
    ...[1.5, -1, Number.NaN, 1e12].map((timestamp) => ({ timestamp })),
  ])("refuses %j", async (option) => {
    const message = expect.stringContaining(Object.keys(option)[0]!);
    const call = testHeader({ payload, secret, ...(option as object) });
    expect(await errorOf(call)).toMatchObject({ code: "invalid_argument", message });
  });

  test.each([0, 999_999_999_999])("signs at %i s, which verify takes then", async (timestamp) => {
    const signature = await testHeader({ payload: "{}", secret, timestamp });
    expect(await verify("{}", signature, secret, { now: () => timestamp * 1000 })).toEqual({});
  });

  test("is the export's and the class's", () => {
    expect(Shipping.webhooks).toBe(webhooks);
  });
});
