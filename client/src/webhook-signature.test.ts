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

  test("yields the event, from bytes, text, an ArrayBuffer, and a view into a pooled Buffer", async () => {
    const pooled = Buffer.concat([Buffer.from("before"), event, Buffer.from("after")]);
    const view = pooled.subarray(6, 6 + event.length);
    const whole = Uint8Array.from(event).buffer;
    for (const raw of [event, event.toString(), view, whole, new DataView(whole) as unknown as Uint8Array])
      expect(await verify(raw, header, secret, at(now))).toEqual(JSON.parse(event.toString()));
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
      ["x".repeat(262_145), header, secret, at(now)],
      // These are 262,145 bytes in half as many characters.
      [`x${"é".repeat(131_072)}`, header, secret, at(now)],
      [event, signatures(1), secret, { ...at(now), maxBytes: event.length - 1 }],
    ];
    for (const call of refused)
      expect(await digestsDuring(async () => expect(await codeOf(verify(...call))).toBe("invalid_signature"))).toBe(0);
    await verify(event, header.replace(/v1=.*/, `v1=${digest}`), secret, { ...at(now), maxBytes: event.length });
    for (const maxBytes of [0, Number.NaN, 1.5, "9" as unknown as number])
      expect(await codeOf(verify(event, header, secret, { ...at(now), maxBytes }))).toBe("invalid_argument");
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

  test("tells a parsed body how to stay raw", async () => {
    const error = await errorOf(verify(JSON.parse(event.toString()), header, secret, at(now)));
    expect(error).toMatchObject({ code: "parsed_body" });
    for (const framework of ["express.raw(", "addContentTypeParser(", "Next.js", "Workers"])
      expect(error.message).toContain(framework);
  });

  test("refuses a body that was parsed and written anew", async () => {
    const spaced = '{ "id": "evt_1" }';
    const signed = vectors.find(({ name }) => name === "white space and the order of members")!;
    const anew = JSON.stringify(JSON.parse(Buffer.from(signed.body, "base64").toString()));
    expect(anew).not.toBe(spaced);
    expect(await codeOf(verify(anew, signed.header, secret, at(now)))).toBe("invalid_signature");
  });

  test.each([-301, 301])("refuses a time that is %i s away, and says so", async (seconds) => {
    expect(await errorOf(verify(event, header, secret, at(now + seconds)))).toMatchObject({
      code: "invalid_signature",
      message: `Signed 301 s ${seconds < 0 ? "ahead of" : "behind"} this machine's clock.`,
    });
  });

  test("tolerance 0 takes this very second alone", async () => {
    const options = { toleranceSeconds: 0, now: () => now * 1000 + 999 };
    await verify(event, header, secret, options);
    expect(await codeOf(verify(event, header, secret, { ...options, ...at(now + 1) }))).toBe("invalid_signature");
  });

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])("tolerance %j is refused, not ignored", async (tolerance) => {
    const options = { toleranceSeconds: tolerance, ...at(now) };
    expect(await codeOf(verify(event, header, secret, options))).toBe("invalid_argument");
  });

  test("an invalid clock refuses every delivery", async () => {
    expect(await codeOf(verify(event, header, secret, { now: () => Number.NaN }))).toBe("invalid_signature");
  });

  test("any of several v1 is enough, while secrets change", async () => {
    const [time, wrong] = [`t=${now}`, "0".repeat(64)];
    await verify(event, `${time},v1=${wrong},v1=${digest}`, secret, at(now));
    await verify(event, `${time},v1=${digest},v1=${wrong}`, secret, at(now));
    expect(await codeOf(verify(event, `${time},v1=${wrong},v1=${wrong}`, secret, at(now)))).toBe("invalid_signature");
  });

  test.each([`t=${now + 31_536_000},v1=${digest}`, `t=${now}junk,v1=${digest}`, `t=1,t=${now},v1=${digest}`])(
    "what lenient verifiers take is refused: %s",
    async (lenient) => {
      expect(await codeOf(verify(event, lenient, secret, at(now)))).toBe("invalid_signature");
    },
  );

  test("any of several secrets is enough, while secrets change", async () => {
    for (const secrets of [["whsec_old", secret], [secret, "whsec_new"], [secret]])
      expect(await verify(event, header, secrets, at(now))).toEqual(JSON.parse(event.toString()));
    expect(await codeOf(verify(event, header, ["whsec_old"], at(now)))).toBe("invalid_signature");
    for (const secrets of [[], [secret, ""], [secret, undefined as unknown as string]])
      expect(await codeOf(verify(event, header, secrets, at(now)))).toBe("invalid_argument");
  });

  test.each(["null", "5", "[]", '"x"', ""])("the signed body %j is no event", async (payload) => {
    const signature = await testHeader({ payload, secret });
    expect(await codeOf(verify(payload, signature, secret))).toBe("invalid_event");
  });

  test("all headers instead of the one are refused, and so is a clock that is no function", async () => {
    for (const headers of [new Headers({ "service-signature": header }), { "service-signature": header }])
      expect(await errorOf(verify(event, headers as unknown as string, secret, at(now)))).toMatchObject({
        code: "invalid_argument",
        message: "signature must be the value of the header Service-Signature, not an object of all headers.",
      });
    const options = { now: now as unknown as () => number };
    expect(await codeOf(verify(event, header, secret, options))).toBe("invalid_argument");
  });

  test.each([undefined, null, "", []])("no header (%j) is no signature", async (none) => {
    expect(await errorOf(verify(event, none, secret, at(now)))).toMatchObject({
      code: "invalid_signature",
      message: "The Service-Signature header is missing.",
    });
  });

  test.each(["", "whsec_", secret.slice("whsec_".length), `"${secret}"`, undefined])(
    "the secret %j is refused",
    async (given) => {
      expect(await codeOf(verify(event, header, given as string, at(now)))).toBe("invalid_argument");
    },
  );
});

describe("webhooks.testHeader", () => {
  const signedOnce = vectors.filter(({ valid, header }) => valid && /^t=\d+,v1=[0-9a-f]{64}$/.test(header));
  const secret = "whsec_test";
  const payload = '{"id":"evt_1","type":"label.created"}';

  test("there are vectors to compare it with", () => {
    expect(signedOnce.length).toBeGreaterThan(10);
  });

  test.each(signedOnce)("$name: signs as the platform does", async ({ header, body, secret: own }) => {
    const timestamp = Number(/^t=(\d+)/.exec(header)?.[1]);
    expect(await testHeader({ payload: Buffer.from(body, "base64"), secret: own, timestamp })).toBe(header);
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

  test.each<[options: object, names: string]>([
    [{ payload: { id: "evt_1" } }, "payload"],
    [{ payload: undefined }, "payload"],
    [{ secret: "test" }, "secret"],
    [{ secret: undefined }, "secret"],
    [{ timestamp: 1.5 }, "timestamp"],
    [{ timestamp: -1 }, "timestamp"],
    [{ timestamp: Number.NaN }, "timestamp"],
    [{ timestamp: 1e12 }, "timestamp"],
  ])("refuses %j", async (options, names) => {
    expect(await errorOf(testHeader({ payload, secret, ...options }))).toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining(names),
    });
  });

  test("is the export's and the class's", () => {
    expect(Shipping.webhooks).toBe(webhooks);
  });
});
