import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorOf } from "./testing/loopback.js";
import { testHeader, type VerifyOptions, verify } from "./webhook-signature.js";

const [vector] = JSON.parse(readFileSync(join(import.meta.dirname, "../../docs/webhook-vectors.json"), "utf8"));
const { secret, header, now } = vector;
const event = Buffer.from(vector.body, "base64");
const at = (options: VerifyOptions = {}): VerifyOptions => ({ now: () => now * 1000, ...options });

describe("webhooks.verify explains each refusal in a sentence", () => {
  test.each<[sentence: string, body: unknown, signature: string, own: unknown, options: VerifyOptions]>([
    ["secret must not be an empty list.", event, header, [], {}],
    ["secret must be the complete whsec_… string.", event, header, "whsec_", {}],
    ["secret must be the complete whsec_… string.", event, header, [[secret]], {}],
    ["toleranceSeconds must be a number of 0 or more.", event, header, secret, { toleranceSeconds: -1 }],
    ["maxBytes must be an integer above 0.", event, header, secret, { maxBytes: 0 }],
    ["The Service-Signature header is malformed.", event, `${header},`, secret, {}],
    ["The body is longer than 1 bytes.", event, header, secret, { maxBytes: 1 }],
    ["The body is longer than 9 bytes.", new DataView(new ArrayBuffer(10)), header, secret, { maxBytes: 9 }],
    ["The signature does not match: the secret is wrong, or the body was changed.", event, header, "whsec_other", {}],
  ])("%s", async (sentence, body, signature, own, options) => {
    const call = verify(body as Buffer, signature, own as string, at(options));
    expect((await errorOf(call)).message).toBe(sentence);
  });

  test.each([
    ["[]", "The signature is valid, but the body is not a JSON object.", undefined],
    ["{", "The signature is valid, but the body is not JSON.", "SyntaxError"],
  ])("the signed body %s", async (payload, message, cause) => {
    const signature = await testHeader({ payload, secret, timestamp: now });
    const error = await errorOf(verify(payload, signature, secret, at()));
    expect([error.message, (error.cause as Error | undefined)?.name]).toEqual([message, cause]);
  });

  test.each([null, undefined, 5])("the parsed body %j", async (body) => {
    const call = verify(body as unknown as string, header, secret, at());
    expect(await errorOf(call)).toMatchObject({ code: "parsed_body" });
  });
});

test("a body of exactly as many bytes as are allowed is taken, as a text, as bytes and as a stream", async () => {
  const stream = () => new Blob([event]).stream();
  for (const body of [event.toString(), event, Uint8Array.from(event).buffer, stream()])
    expect(await verify(body, header, secret, at({ maxBytes: event.length }))).toEqual(JSON.parse(event.toString()));
});

test.each([0, 999_999_999_999])("webhooks.testHeader signs at %i s, which verify takes then", async (timestamp) => {
  const signature = await testHeader({ payload: "{}", secret, timestamp });
  expect(await verify("{}", signature, secret, { now: () => timestamp * 1000 })).toEqual({});
});
