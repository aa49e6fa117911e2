import { createClient } from "@connectrpc/connect";
import { serveOps } from "@shipping/kit/process/health";
import { silentLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import type { Role } from "@shipping/portal/members/manage-members";
import { clearLimits, renewSessions } from "@shipping/portal/testing/stored-sessions";
import { PortalOperationsService } from "@shipping/proto/shipping/portal/v1/operations_pb";
import { newVisitor, pathIn, type Visitor } from "../../../developers/visitor.js";
import { apiClient } from "../../../platform/api-client.js";
import { callStack } from "../../../platform/call-stack.js";
import { type Stack, startStack } from "../../../platform/stack.js";
import { parcelBody } from "../../kit/bodies.js";
import type { Sender } from "./place.js";

/** A platform in this process, with a member of each role and one of every resource that pages show. */
export async function startWorld() {
  const stack = await startStack({
    requestsPerMinute: 1_000_000_000,
    mcp: "all",
    trustedProxies: 1,
    // A port without a listener: redirects to the provider end there, and its callbacks are read.
    developerArea: { provider: { issuer: "http://127.0.0.1:9", clientId: "area", clientSecret: "secret" } },
  });
  const portal = callStack(stack, "portal");
  const operator = createClient(PortalOperationsService, portal);
  const { origin, port } = new URL(stack.baseUrl);
  const accountId = await stack.newAccount("Nordlicht");
  const signIn = async (role: Role) => {
    const email = `${role}@example.com`;
    await operator.addMember({ accountId, email, role });
    const { url } = await operator.createSignInLink({ accountId, email, origin });
    const visitor = newVisitor(origin, accountId);
    await visitor.submit(pathIn(url));
    return { visitor, accountId, email };
  };
  const [admin, viewer] = [await signIn("admin"), await signIn("viewer")];
  // Some forms end the sessions of their member, whatever text they have: the next text would be read as a stranger's.
  await stack.databases.portal.pool.query(`
    CREATE FUNCTION stay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER sessions_stay BEFORE DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION stay()`);
  const { id: keyId, key } = await stack.newKey(accountId);
  const things = { keys: keyId, ...(await createThings(stack, key, admin.visitor)) };
  const sender: Sender = {
    key,
    accountId,
    cookies: { anyone: "", viewer: viewer.visitor.cookies(), admin: admin.visitor.cookies() },
    pathOf: (path) => {
      const [, kind = ""] = /(\w+)\/{id}/.exec(path) ?? [];
      const id = (things as Record<string, string>)[kind] ?? things.orders;
      return `/developers${path}`.replace("{environment}", "sandbox").replace("{id}", id);
    },
  };
  const ops = await serveOps({ port: 0, host: "127.0.0.1", log: silentLog(), ready: async () => undefined });

  return {
    sender,
    port: Number(port),
    opsPort: ops.port,
    /** Resets the counts of forms and emails, so that no request is refused before it is read, and the age of the sign-in. */
    async forgetLimits(): Promise<void> {
      await clearLimits(stack.databases.portal);
      await renewSessions(stack.databases.portal);
    },
    /** Whether both members are still signed in. */
    async isSignedIn(): Promise<boolean> {
      const answers = await Promise.all(
        [admin, viewer].map(({ visitor }) => visitor.get("/developers/sandbox/orders")),
      );
      return answers.every(({ status }) => status === 200);
    },
    async stop(): Promise<void> {
      await Promise.all([portal.close(), ops.stop()]);
      await stack.stop();
    },
  };
}

/** The IDs of one resource of each kind that pages show. */
async function createThings({ baseUrl }: Stack, key: string, admin: Visitor) {
  const api = apiClient(baseUrl, key);
  const create = async (path: string, body: object): Promise<string> => {
    const { status, body: answer } = await api.post<{ id: string }>(path, body);
    if (status !== 201) throw new Error(`POST ${path} answers ${status}.`);
    return answer.data.id;
  };
  const [orders, shipments] = [await create("/orders", parcelBody), await create("/shipments", parcelBody)];
  await admin.submit("/developers/members/invite", { email: "bob@example.com" });
  const find = async (pattern: RegExp, path: string) => {
    const [id] = pattern.exec((await admin.get(`/developers${path}`)).html) ?? [];
    if (!id) throw new Error(`${path} has no ${pattern.source}.`);
    return id;
  };
  return {
    orders,
    shipments,
    labels: await create("/labels", { shipment_id: shipments, rate_id: `rate_test_${shipments}` }),
    webhooks: await create("/webhooks", { url: "https://shop.example.com", events: ["order.created"] }),
    events: await find(/evt_[a-z2-7]{26}/, `/sandbox/orders/${orders}`),
    requests: await eventually(() => find(/req_[a-z2-7]{26}/, "/sandbox/requests")),
    members: await find(/mem_[a-z2-7]{26}(?=\/invite-again)/, "/members"),
  };
}
