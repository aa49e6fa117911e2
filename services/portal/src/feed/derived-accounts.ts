import type { Client } from "@connectrpc/connect";
import type { DerivedRows, Difference } from "@shipping/kit/derived/derived-rows";
import { type Place, placeOf, valuesOf } from "@shipping/kit/derived/walk";
import { answered } from "@shipping/kit/rpc/call-owner";
import type { AccessService, Account } from "@shipping/proto/shipping/access/v1/access_pb";
import sql from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";
import { upsertAccounts } from "./accounts.js";

const CALL = { timeoutMs: 5_000 };
/** The most that the gateway returns at once. */
const MAX_PAGE = 100;

type Deps = Pick<PortalDeps, "db"> & { access: Pick<Client<typeof AccessService>, "listAccounts"> };

interface StoredAccount {
  id: string;
  name: string;
  suspendedAt: Date | null;
  erasingSince: Date | null;
}

type Found = Difference & { account?: Account; readAt?: string };

/** The portal's accounts, compared with those of the gateway. */
export function derivedAccounts(deps: Deps): DerivedRows<Found> {
  return {
    kind: "accounts",
    startsAt: "acc",
    async compare(place: Place, most: number) {
      const limit = Math.min(most, MAX_PAGE);
      const [after = ""] = valuesOf(place, 1);
      // An account is in the gateway first, so one that is missing there was not there when the portal's were read.
      const own = await deps.db.runList<StoredAccount>(sql`
        SELECT id, name, suspended_at AS "suspendedAt", erasing_since AS "erasingSince" FROM accounts
        WHERE id > ${after} ORDER BY id LIMIT ${limit}::bigint`);
      const asked = { limit, ...(after !== "" && { after }) };
      const { accounts, readAt } = await answered(deps.access.listAccounts(asked, CALL));
      const end = [own, accounts].flatMap((page) => (page.length === limit ? page.at(-1)!.id : [])).sort()[0];
      const isOnPage = ({ id }: { id: string }) => end === undefined || id <= end;
      const [stored, described] = [new Map(own.map((one) => [one.id, one])), accounts.filter(isOnPage)];
      const known = new Set(described.map(({ id }) => id));
      const differences = [
        ...described.flatMap((account) => differenceOf(account, stored.get(account.id), readAt)),
        ...own.filter((one) => isOnPage(one) && !known.has(one.id)).map(goneFromGateway),
      ];
      return { rows: described.length, differences, ...(end !== undefined && { next: placeOf([end]) }) };
    },
    async repair(found) {
      const described = found.flatMap(({ account }) => account ?? []);
      const readAt = found.map((one) => one.readAt ?? "").sort()[0];
      if (readAt) await upsertAccounts(deps, described, readAt);
    },
  };
}

function differenceOf(account: Account, stored: StoredAccount | undefined, readAt: string): Found[] {
  const { id, name, suspendedAt, erasingSince } = account;
  const about = { accountId: id, environment: "", id, account, readAt };
  // An account that is being erased gets no row.
  if (!stored) return erasingSince ? [] : [{ ...about, problem: "missing" }];
  if (erasingSince) return stored.erasingSince ? [] : [{ ...about, problem: "stale", says: "it is being erased" }];
  if (stored.erasingSince)
    return [{ ...about, problem: "lost", says: "its erasure has begun, which the gateway does not know" }];
  const isRight = stored.name === name && (stored.suspendedAt?.toISOString() ?? undefined) === suspendedAt;
  const says = `${name}${suspendedAt ? `, suspended ${suspendedAt}` : ""}`;
  return isRight ? [] : [{ ...about, problem: "stale", says }];
}

const goneFromGateway = ({ id, name }: StoredAccount): Found => ({
  ...{ problem: "lost", accountId: id, environment: "", id, says: `the gateway does not have this account: ${name}` },
});
