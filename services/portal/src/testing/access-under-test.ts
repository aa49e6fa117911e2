import { randomBytes } from "node:crypto";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { fail, toConnectError } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";

type Account = { id: string; name: string; suspendedAt?: string; erasingSince?: string };

/** A gateway with accounts and their changes. The methods in `away` fail. Its clock moves by a millisecond with each call. */
export function accessUnderTest() {
  const accounts = new Map<string, Account>();
  const changes: { id: string; accountId: string; action: string; acknowledgedAt?: string }[] = [];
  const away = new Set<"listChanges" | "acknowledgeChanges" | "getAccount">();
  let time = Date.parse("2026-03-01T10:00:00.000Z");
  const called = (call: Parameters<typeof away.has>[0]) => {
    if (away.has(call)) throw new ConnectError("connection refused", Code.Unavailable);
    time += 1;
    return new Date(time).toISOString();
  };
  const transport = createRouterTransport(({ service }) => {
    service(AccessService, {
      getAccount({ accountId }) {
        called("getAccount");
        const account = accounts.get(accountId);
        if (!account) throw toConnectError(fail("not_found", "No such account."));
        return { account };
      },
      listChanges({ since, after = "" }) {
        const readAt = called("listChanges");
        const listed = changes
          .filter(({ acknowledgedAt }) => !acknowledgedAt || (since && acknowledgedAt >= since))
          .filter(({ id }) => id > after)
          .sort((one, other) => (one.id < other.id ? -1 : 1))
          .slice(0, 100);
        return { readAt, changes: listed.map(toMessage) };
      },
      acknowledgeChanges({ ids }) {
        const at = called("acknowledgeChanges");
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
    away,
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
