import { randomBytes } from "node:crypto";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { parseApiKey } from "@shipping/api/api-key";
import { fail, failureIn, toConnectError } from "@shipping/kit/errors";
import { AccessService, type CreateKeyRequest } from "@shipping/proto/shipping/access/v1/access_pb";
import type { PageRequest } from "../page/page.js";
import { clientsTo } from "../testing/clients-to.js";
import { createKey } from "./create-key.js";

const wanted = { name: "Shop", scopes: ["orders:read" as const], expires: "30d" as const, form_id: "form_a" };

/** Creates a key through a gateway that answers one call after the other with these errors, and then with success. */
async function createWith(errors: ConnectError[], leftMs = 10_000) {
  const calls: CreateKeyRequest[] = [];
  const transport = createRouterTransport((router) =>
    router.service(AccessService, {
      createKey(request) {
        const error = errors[calls.push(request) - 1];
        if (error) throw error;
        return { id: "key_a", expiresAt: "2026-12-28T00:00:00.000Z" };
      },
    }),
  );
  const request = {
    environment: "live",
    session: { accountId: "acc_a" },
    actor: { name: "ada@example.com", source: "192.0.2.1" },
    requestId: "req_a",
    deadline: performance.now() + leftMs,
  } as PageRequest;
  const created = await createKey({ access: clientsTo(transport).access, random: randomBytes }, request, wanted).catch(
    (error: unknown) => failureIn(error)?.code,
  );
  return { calls, created };
}

const lost = new ConnectError("lost", Code.Unavailable);

test("only hash and last four characters leave the portal, and the expiry as a duration", async () => {
  const { calls, created } = await createWith([]);
  if (typeof created !== "object") throw new Error("No key was created.");
  expect(created.expiresAt).toEqual("2026-12-28T00:00:00.000Z");
  const [sent] = calls;
  expect(sent).toMatchObject({ formId: "form_a", lastFour: created.key.slice(-4), expiresInMs: 30n * 86_400_000n });
  expect(Buffer.from(sent!.hash)).toEqual(parseApiKey(`Bearer ${created.key}`)?.hash);
  const secret = created.key.slice("service_live_".length, -4);
  expect(JSON.stringify(sent, (_, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(secret);
});

test("a lost response is repeated once, with the same form and hash", async () => {
  for (const outage of [lost, toConnectError(fail("service_unavailable"))]) {
    const { calls, created } = await createWith([outage]);
    expect(created).toMatchObject({ key: expect.stringMatching(/^service_live_/) });
    expect(calls).toHaveLength(2);
    expect(calls[1]).toEqual(calls[0]);
  }
  expect(await createWith([lost, lost])).toMatchObject({ created: "service_unavailable", calls: [{}, {}] });
});

test("a refusal is not repeated", async () => {
  const { calls, created } = await createWith([toConnectError(fail("rate_limited"))]);
  expect([created, calls.length]).toEqual(["rate_limited", 1]);
});
