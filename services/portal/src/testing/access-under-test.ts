import { randomBytes } from "node:crypto";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { fail, toConnectError } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";

type Account = { id: string; name: string; suspendedAt?: string; erasingSince?: string };

type Method = "listAccounts" | "listChanges" | "acknowledgeChanges" | "getAccount" | "nameKeys";

/** A gateway with accounts, their keys and their changes. Its clock moves by a millisecond with each call. */
export function accessUnderTest() {
  const accounts = new Map<string, Account>();
  const keys: { id: string; accountId: string; name?: string; lastFour: string }[] = [];
  const changes: { id: string; accountId: string; action: string; acknowledgedAt?: string }[] = [];
  const [asked, away, hanging] = [new Set<Method>(), new Set<Method>(), new Set<Method>()];
  let time = Date.parse("2026-03-01T10:00:00.000Z");
  const called = async (call: Method) => {
    asked.add(call);
    if (hanging.has(call)) await new Promise(() => {});
    if (away.has(call)) throw new ConnectError("connection refused", Code.Unavailable);
    time += 1;
    return new Date(time).toISOString();
  };
  const transport = createRouterTransport(({ service }) => {
    service(AccessService, {
      async getAccount({ accountId }) {
        await called("getAccount");
        const account = accounts.get(accountId);
        if (!account) throw toConnectError(fail("not_found", "No such account."));
        return { account };
      },
      async listAccounts({ limit, after = "" }) {
        const readAt = await called("listAccounts");
        const listed = [...accounts.values()].filter(({ id }) => id > after);
        return { readAt, accounts: listed.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, limit) };
      },
      async nameKeys({ accountId, ids }) {
        await called("nameKeys");
        return { keys: keys.filter((key) => key.accountId === accountId && ids.includes(key.id)) };
      },
      async listChanges({ since, after = "" }) {
        const readAt = await called("listChanges");
        const listed = changes
          .filter(({ acknowledgedAt }) => !acknowledgedAt || (since && acknowledgedAt >= since))
          .filter(({ id }) => id > after)
          .sort((one, other) => (one.id < other.id ? -1 : 1))
          .slice(0, 100);
        return { readAt, changes: listed.map(toMessage) };
      },
      async acknowledgeChanges({ ids }) {
        const at = await called("acknowledgeChanges");
        for (const change of changes) if (ids.includes(change.id)) change.acknowledgedAt ??= at;
        return {};
      },
    });
  });

  const toMessage = ({ id, accountId, action }: (typeof changes)[number]) => ({
    id,
    at: "2026-03-01T09:00:00.000Z",
    account: accounts.get(accountId)!,
    actor: { name: "ada@example.com", source: "192.0.2.1" },
    action,
    environment: action.startsWith("key.") ? "live" : "",
    subject: "key_1",
    detail: "Shop, ends in abcd",
  });

  return {
    access: createClient(AccessService, transport),
    accounts,
    keys,
    /** The methods that were called; those that fail, and those that never answer. */
    asked,
    away,
    hanging,
    /** The changes that the gateway stores, and when each was acknowledged. */
    changes,
    /** Creates an account, or changes the one that is given, with a line. */
    change(action: string, account: Partial<Account> = {}): string {
      const { id = newId("acc", randomBytes) } = account;
      accounts.set(id, { ...(accounts.get(id) ?? { name: "Acme" }), ...account, id });
      changes.push({ id: newId("aud", randomBytes), accountId: id, action });
      return id;
    },
  };
}
