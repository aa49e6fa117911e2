import type pg from "pg";
import { type Database, openDatabase } from "../../postgres/database.js";
import { silentLog } from "../../process/log.js";
import type { TestDatabase } from "../database.js";
import type { Schedule } from "./explore.js";
import { currentActor, realPause } from "./virtual-time.js";

/**
 * A statement that PostgreSQL has begun. Until its transaction ends, others do not see its changes, and wait for the rows that it has
 * locked.
 */
interface Begun {
  actor: string;
  what: string;
  session: Session;
  ending: Promise<pg.QueryResult>;
  answer(result: Promise<pg.QueryResult>): void;
}

type Session = pg.PoolClient & { processID: number };

const MAX_SESSIONS = 6;
const PATIENCE_MS = 60_000;

/**
 * A database of real PostgreSQL for schedules. Each statement is a transaction whose steps are in the schedule's order: it is sent, it is
 * committed, its answer arrives. Between the first two, other statements may run, and meet its locks. At most one statement waits for a
 * lock at a time, because PostgreSQL would choose the order of several. `clock_timestamp()` is the schedule's virtual time.
 */
export async function scheduledDatabases({ db, url }: Pick<TestDatabase, "db" | "url">, tables: readonly string[]) {
  const { pool } = db;
  await pool.query(`
    CREATE FUNCTION scheduled_time() RETURNS timestamptz VOLATILE LANGUAGE plpgsql AS
    $$ BEGIN RETURN current_setting('scheduled.now')::timestamptz; END $$`);

  /** Empties the tables. Returns a function that opens the database in a process of this schedule. */
  async function forSchedule(schedule: Schedule): Promise<() => Database> {
    // TRUNCATE gives each schedule new files, in which rows without an order come in the same order; DELETE would not. Its wait for the
    // disk is not limited.
    await pool.query(`SET LOCAL statement_timeout = 0; TRUNCATE ${tables.join(", ")} RESTART IDENTITY`);
    const begun = new Set<Begun>();
    let blocked: Begun | undefined;
    // The roll-back of a statement that waits for a lock comes after those of the others.
    schedule.afterwards(() => Promise.all([...begun].map((statement) => end(statement, "ROLLBACK"))));

    function send(config: { text: string; values: unknown[] }): Promise<pg.QueryResult> {
      const { name: actor, process } = currentActor()!;
      const what = summary(config.text);
      return new Promise((resolve, reject) => {
        const isReady = () => !blocked && begun.size < MAX_SESSIONS;
        const answer = (result: Promise<pg.QueryResult>) => {
          const perform = () => void result.then(resolve, reject);
          result.catch(() => {});
          schedule.add({ actor, process, what: `answer to ${what}`, perform });
        };
        schedule.add({ actor, process, what, isReady, perform: () => begin({ actor, what, answer }, config) });
      });
    }

    async function begin(
      about: Pick<Begun, "actor" | "what" | "answer">,
      { text, values }: { text: string; values: unknown[] },
    ) {
      const session = (await pool.connect()) as Session;
      const time = new Date(START + schedule.nowMs()).toISOString();
      await session.query(`BEGIN; SET LOCAL scheduled.now = '${time}'`);
      const timed = text.replaceAll("clock_timestamp()", "scheduled_time()");
      const ending = session.query({ text: timed, values, query_timeout: PATIENCE_MS } as pg.QueryConfig);
      const statement = { ...about, session, ending };
      begun.add(statement);
      await proceed(statement);
    }

    /** Waits until a statement has ended, or waits for another one. */
    async function proceed(statement: Begun): Promise<void> {
      const { actor, what, ending, session } = statement;
      const ended = ending.then(
        () => "done" as const,
        () => "failed" as const,
      );
      for (;;) {
        const state = await Promise.race([ended, realPause(2)]);
        if (state === "failed") return finish(statement, "ROLLBACK");
        if (state === "done") break;
        if (await waitsForLock(session)) {
          blocked = statement;
          return;
        }
      }
      const isRead = !/\b(INSERT|UPDATE|DELETE)\b/.test(what);
      if (isRead || schedule.choose(2) === 0) return finish(statement, "COMMIT");
      schedule.add({
        actor: `${actor} in PostgreSQL`,
        what: `commit of ${what}`,
        perform: () => finish(statement, "COMMIT"),
      });
    }

    async function finish(statement: Begun, how: "COMMIT" | "ROLLBACK"): Promise<void> {
      await end(statement, how);
      statement.answer(statement.ending);
      const waiting = blocked;
      blocked = undefined;
      if (waiting) await proceed(waiting);
    }

    async function end(statement: Begun, how: "COMMIT" | "ROLLBACK"): Promise<void> {
      begun.delete(statement);
      await statement.session.query(how);
      statement.session.release();
    }

    async function waitsForLock({ processID }: Session): Promise<boolean> {
      const others = [...begun].map(({ session }) => session.processID);
      const { rows } = await pool.query("SELECT pg_blocking_pids($1) && $2::int[] AS waits", [processID, others]);
      return rows[0].waits;
    }

    return () => {
      const scheduled = openDatabase(url, { log: silentLog() });
      scheduled.pool.connect = (async () => ({ query: send, release() {} })) as unknown as pg.Pool["connect"];
      return scheduled;
    };
  }

  return forSchedule;
}

const START = Date.parse("2026-11-26T00:00:00Z");

/** Describes a statement in a word or two. */
function summary(text: string): string {
  const words =
    text.match(/\b(?:INSERT INTO|UPDATE|DELETE FROM) (?!SET|SKIP|OF)[a-z_]+/g) ?? text.match(/\bFROM [a-z_]+/g) ?? [];
  return words.join(", ") + (/FOR UPDATE/.test(text) ? ", FOR UPDATE" : "");
}
