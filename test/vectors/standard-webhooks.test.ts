import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { signStandard } from "@shipping/webhooks/dispatch/signature";
import { newSecret } from "@shipping/webhooks/subscriptions/subscription";
import * as standard from "standardwebhooks";
import * as svix from "svix";
import { libraryLines, type StandardDelivery, standardDeliveries, toOlder, toStandard } from "./standard-deliveries.js";

const GUIDE = join(import.meta.dirname, "../../docs/webhook-signatures.md");

let deliveries: StandardDelivery[];
beforeAll(async () => {
  deliveries = await standardDeliveries();
});

test("the two lines of docs/webhook-signatures.md verify them", async () => {
  const { imports, verifies } = libraryLines("js");
  const program = `${imports}
    for (const { secret, headers, body } of ${JSON.stringify(deliveries)}) {
      const request = { headers };
      process.env.WEBHOOK_SECRET = secret;
      try { ${verifies} console.log(event !== undefined); } catch { console.log(false); }
    }`;
  const options = { cwd: import.meta.dirname };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], options);
  expect(stdout.trim().split("\n")).toEqual(deliveries.map(({ valid }) => String(valid)));
});

/** Whether a library's verifier accepts a delivery. */
const accepts = (library: typeof standard | typeof svix, { secret, headers, body }: StandardDelivery): boolean => {
  const webhook = new library.Webhook(secret);
  try {
    return webhook.verify(body, headers) !== undefined;
  } catch (error) {
    if ((error as Error).name !== "WebhookVerificationError") throw error;
    return false;
  }
};

test.each([
  ["standardwebhooks", standard],
  ["svix", svix],
])("the verifier of %s accepts our deliveries, and refuses altered, old and foreign ones", (_name, library) => {
  const verdicts = deliveries.map((delivery) => `${delivery.name}: ${accepts(library, delivery)}`);
  expect(verdicts).toEqual(deliveries.map(({ name, valid }) => `${name}: ${valid}`));
});

test("a Headers object, in which the library finds nothing, is passed as the guide says", () => {
  const { secret, headers, body } = deliveries.find(({ valid }) => valid) as StandardDelivery;
  const request = { headers: new Headers(headers) };
  const webhook = new standard.Webhook(secret);
  const verify = (passed: object) => webhook.verify(body, passed as Record<string, string>);
  expect(() => verify(request.headers)).toThrow("Missing required headers");
  expect(readFileSync(GUIDE, "utf8")).toContain("`Object.fromEntries(request.headers)`");
  expect(verify(Object.fromEntries(request.headers))).toBeDefined();
});

test("the signature of the specification's example is ours", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const body = Buffer.from('{"test": 2432232314}');
  expect(signStandard(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body)).toBe(
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  );
});

test("a secret is 32 bytes in padded base64; an older one signs with the same bytes in base64url", () => {
  const secret = newSecret((length) => Buffer.alloc(length, 0xff));
  expect(secret).toBe(`whsec_${"/".repeat(42)}8=`);
  expect(toStandard(toOlder(secret))).toBe(secret);
  const sign = (by: string) => signStandard(by, "evt_1", 1_790_000_000, Buffer.from("{}"));
  expect(sign(toOlder(secret))).toBe(sign(secret));
});
