import { setTimeout } from "node:timers/promises";
import { fail } from "@shipping/kit/errors";
import { onAccounts, onOwner, onPortal } from "../platform/call-parts.js";
import { findAccount } from "../platform/find-account.js";
import { deployedParts, type Platform } from "../platform/find-platform.js";
import type { Part } from "../platform/parts.js";
import type { Progress } from "../tools/admin-command.js";
import { countRows, type TableCount } from "./table-counts.js";

/** The account to erase, and its platform. */
interface Target {
  platform: Platform;
  accountId: string;
}

/** A part comes before the parts that it reads from or refers to. The gateway is last, so that the account can be found by name until then. */
const order = ({ platform }: Target): readonly Part[] => deployedParts(platform).toReversed();

/** The data that an erasure does not reach, and how long it stays. The guide for operators has the details. */
export const REMAINING: readonly { where: string; until: string }[] = [
  { where: "files of the databases", until: "VACUUM has run and new rows have taken the space of deleted ones" },
  { where: "event bus, stream EVENTS", until: "7 days after an event was published" },
  { where: "backups and archived WAL", until: "you delete them" },
  { where: "logs and traces", until: "you delete them; they contain IDs only" },
  { where: "DATA_DIR/mail of npm start", until: "200 newer emails have replaced them, or you delete them" },
  { where: "carriers, receivers and mailboxes", until: "their owners delete what they got" },
];

const NO_PORTAL = {
  where: "database of the portal",
  until: "PORTAL_URL is set and this is run again, if there is one",
};

const POLL_MS = 500;

// The second pass deletes what was written during the first.
const MAX_PASSES = 5;

/** Waits until a suspended account has no work in progress, then deletes its data until a pass over all tables finds no rows. Can be repeated. */
export async function eraseAccount(target: Target, { waitMs, progress }: { waitMs: number; progress: Progress }) {
  const { platform, accountId } = target;
  await waitUntilIdle(target, waitMs);
  await onAccounts(platform, (gateway) => gateway.beginErasing({ accountId }));
  const hasPortal = order(target).includes("portal");
  // The gateway was first: it records no more changes for the portal.
  if (hasPortal) {
    await onPortal(platform, (portal) => portal.beginErasing({ accountId }));
  }
  const erased: TableCount[] = [];
  for (let pass = 1; (await erasePass(target, erased, progress)) > 0; pass++) {
    if (pass === MAX_PASSES)
      throw fail("service_unavailable", `Data for ${accountId} is still being written. Run this again.`);
  }
  const remaining = hasPortal ? REMAINING : [NO_PORTAL, ...REMAINING];
  const { erasedAt } = await onAccounts(platform, (gateway) => gateway.endErasing({ accountId }));
  return { id: accountId, erasedAt, erased, remaining };
}

async function erasePass(target: Target, erased: TableCount[], progress: Progress): Promise<number> {
  const { platform, accountId } = target;
  let total = 0;
  for (const part of order(target)) {
    await onOwner(platform, part, async (owner) => {
      let cursor: string | undefined;
      do {
        const { table, nextCursor, ...batch } = await owner.eraseAccount({ accountId, ...(cursor && { cursor }) });
        const rows = Number(batch.rows);
        countRows(erased, { part, table, rows });
        progress({ part, table, rows });
        total += rows;
        cursor = nextCursor;
      } while (cursor);
    });
  }
  return total;
}

async function waitUntilIdle(target: Target, waitMs: number): Promise<void> {
  const { platform, accountId: id } = target;
  const until = Date.now() + waitMs;
  for (;;) {
    // The gateway says how long ago the account was suspended, because the clock of this machine may differ.
    const { settled } = await findAccount(platform, id, { erased: true });
    const busy = await listInFlight(target);
    if (settled && busy.length === 0) return;
    if (Date.now() >= until) {
      const reason =
        busy.length > 0 ? `still in flight: ${busy.join(", ")}` : "it was suspended less than a minute ago";
      throw fail("service_unavailable", `No data of ${id} was deleted: ${reason}. Run this again later.`);
    }
    await setTimeout(Math.max(0, Math.min(POLL_MS, until - Date.now())));
  }
}

async function listInFlight(target: Target): Promise<string[]> {
  const { platform, accountId } = target;
  const counts = await Promise.all(
    order(target).map(async (part) => {
      const { count } = await onOwner(platform, part, (owner) => owner.countInFlight({ accountId }));
      return [part, count] as const;
    }),
  );
  return counts.filter(([, count]) => count > 0n).map(([part, count]) => `${count} in ${part}`);
}
