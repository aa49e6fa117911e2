import { create } from "@bufbuild/protobuf";
import { silentLog } from "@shipping/kit/process/log";
import { serve } from "@shipping/kit/rpc/server";
import { RotateSecretsResponseSchema, WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { adminIn } from "../testing/admin.js";
import { stubGateway } from "../testing/stub-gateway.js";

let gateway: Awaited<ReturnType<typeof stubGateway>>;
beforeAll(async () => {
  gateway = await stubGateway();
});
afterAll(() => gateway.stop());

const ends: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

interface Answer {
  writingKeyId?: string;
  subscriptions?: number;
  ledgerBodies?: number;
  usedKeyIds?: string[];
  unusedKeyIds?: string[];
  missingKeyIds?: string[];
}

/** A service that gives these answers in turn, and repeats the last one. */
async function serviceWith(answers: Answer[]): Promise<{ url: string; calls(): number }> {
  let calls = 0;
  const rotateSecrets = async () => {
    const answer = answers[Math.min(calls++, answers.length - 1)];
    return create(RotateSecretsResponseSchema, { writingKeyId: "new", ...answer });
  };
  const server = await serve({
    routes: (router) => void router.service(WebhooksService, { rotateSecrets }),
    port: 0,
    host: "127.0.0.1",
    log: silentLog(),
  });
  ends.push(() => server.stop(0));
  return { url: `http://127.0.0.1:${server.port}`, calls: () => calls };
}

const { admin, json } = adminIn(() => ({ GATEWAY_URL: gateway.url }));

describe("secrets rotate", () => {
  test("calls until no older key is used, and prints the sum", async () => {
    const service = await serviceWith([
      { subscriptions: 5_000, ledgerBodies: 5_000, usedKeyIds: ["old"] },
      { subscriptions: 12, ledgerBodies: 40, unusedKeyIds: ["old"] },
    ]);
    expect(await json("secrets rotate", { WEBHOOKS_URL: service.url })).toEqual({
      writing_key_id: "new",
      subscriptions: 5_012,
      ledger_bodies: 5_040,
      used_key_ids: [],
      unused_key_ids: ["old"],
      missing_key_ids: [],
    });
    expect(service.calls()).toBe(2);
  });

  test("says for people which keys may go", async () => {
    const service = await serviceWith([{ subscriptions: 3, ledgerBodies: 4, unusedKeyIds: ["old", "older"] }]);
    const { out } = await admin("secrets rotate", { WEBHOOKS_URL: service.url });
    expect(out).toMatch(
      /^Encrypted again with new: 3 subscription secrets and 4 stored answers\.\nold is no longer used\. .*\nolder is no longer used\. .*\n$/,
    );
  });

  test("ends with status 1 when a key is still in use or missing, and says what to do", async () => {
    const service = await serviceWith([{ usedKeyIds: ["old"], missingKeyIds: ["lost"] }]);
    const { status, out } = await admin("secrets rotate", { WEBHOOKS_URL: service.url });
    expect(status).toBe(1);
    expect(out).toContain("old is still in use");
    expect(out).toContain("lost is in use but missing from SECRETS_KEYS");
    expect(service.calls()).toBe(1);
  });

  test("refuses while replicas write with different keys", async () => {
    const service = await serviceWith([{ subscriptions: 1, usedKeyIds: ["old"] }, { writingKeyId: "old" }]);
    const { status, out, err } = await admin("secrets rotate", { WEBHOOKS_URL: service.url });
    expect({ status, out }).toEqual({ status: 1, out: "" });
    expect(err).toContain("replicas encrypt with different keys, new and old");
  });

  test("refuses where webhooks cannot be found or reached", async () => {
    for (const [env, reason] of [
      [{ GATEWAY_URL: undefined, DATA_DIR: "/notFound" }, "platform not found"],
      [{ GATEWAY_URL: "http://127.0.0.1:1" }, "gateway at http://127.0.0.1:1: "],
      [{}, "Set WEBHOOKS_URL"],
      [{ WEBHOOKS_URL: "http://127.0.0.1:1" }, "webhooks at http://127.0.0.1:1: "],
    ] as const) {
      const { status, out, err } = await admin("secrets rotate --json", env);
      expect({ status, out }).toEqual({ status: 1, out: "" });
      expect(err).toMatch(/^error: [^\n]+\n$/);
      expect(err).toContain(reason);
    }
  });
});
