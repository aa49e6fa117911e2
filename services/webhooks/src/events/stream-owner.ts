import { newId } from "@shipping/kit/ids";
import { databaseNow } from "@shipping/kit/postgres/clock";
import sql from "sql-template-tag";
import type { Owner, OwnerRecord } from "../stream/stream-owner.js";
import type { SubscriptionDeps } from "../subscriptions/deps.js";

/**
 * The interval at which the stream gets another token. A restored copy is recognized when the stream has a token that was made after the
 * backup, which takes two turns at most. A standby that takes over may lack the last turn.
 */
const TURN_MS = 30_000;

/** A process makes no tokens before it has run this long, because it may be a copy of a running process, which makes some before. */
const SETTLED_MS = 3 * TURN_MS;

/** The number of known tokens, which are those of ten minutes. NATS may be restored to an earlier one. */
const MAX_TOKENS = 20;

type Deps = Pick<SubscriptionDeps, "db" | "clockOffsetMs" | "now" | "random">;

interface Row {
  id: string;
  tokens: string[];
  previousId: string | null;
  previousUntil: bigint | null;
}

const columns = sql`id, tokens, previous_id AS "previousId", previous_until AS "previousUntil"`;

/** Keeps the owner of the event stream in one row of webhooks' database. */
export function createOwnerRecord(deps: Deps): OwnerRecord {
  const { db, random } = deps;
  const startedAt = deps.now().getTime();
  const now = databaseNow(deps);
  const newToken = () => newId("tok", random);

  async function read(): Promise<Owner> {
    const find = () => db.run<Row>(sql`SELECT ${columns} FROM stream_owner`);
    const [found] = await find();
    if (found) return toOwner(found);
    await db.run(sql`
      INSERT INTO stream_owner (id, tokens, turned_at) VALUES (${newId("ins", random)}, ${[newToken()]}::text[], ${now})
      ON CONFLICT DO NOTHING`);
    return toOwner((await find())[0]!);
  }

  // Only one of several replicas adds the token. A time in the future was stored before the database's clock was set back.
  async function turn(): Promise<Owner | undefined> {
    if (deps.now().getTime() - startedAt < SETTLED_MS) return undefined;
    const [turned] = await db.run<Row>(sql`
      UPDATE stream_owner SET tokens = (ARRAY[${newToken()}] || tokens)[1:${MAX_TOKENS}::integer], turned_at = ${now}
      WHERE NOT turned_at BETWEEN ${now} - ${TURN_MS}::float8 * interval '1 ms' AND ${now}
      RETURNING ${columns}`);
    return turned && toOwner(turned);
  }

  function renew({ id }: Owner, until: number): Owner {
    return { id: newId("ins", random), tokens: [newToken()], previous: { id, until } };
  }

  async function store({ id, tokens, previous }: Owner): Promise<void> {
    await db.run(sql`
      UPDATE stream_owner SET id = ${id}, tokens = ${tokens}::text[], turned_at = ${now},
        previous_id = ${previous?.id ?? null}, previous_until = ${previous?.until ?? null}`);
  }

  return { read, turn, renew, store };
}

function toOwner({ id, tokens, previousId, previousUntil }: Row): Owner {
  const previous = previousId === null ? undefined : { id: previousId, until: Number(previousUntil) };
  return { id, tokens, previous };
}
