import sql, { type Sql } from "sql-template-tag";
import type { Database } from "../postgres/database.js";

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "TID Cond"?: string;
  "Join Filter"?: string;
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
  Plans?: PlanNode[];
}

/** Opens a database that records its statements. */
export function watched(db: Database): { db: Database; statements: Sql[] } {
  const statements: Sql[] = [];
  const run: Database["run"] = (statement) => {
    statements.push(statement);
    return db.run(statement);
  };
  const runList: Database["runList"] = (statement, options) => {
    statements.push(statement);
    return db.runList(statement, options);
  };
  return { db: { ...db, run, runList }, statements };
}

/**
 * Returns the parts of a statement's generic plan that repeat work for all rows: joins that compare each row with each other row, and scans
 * of a table without a condition. The list should be empty: the cost of a batch depends on its size, whatever a table holds.
 */
export async function costlyNodes(db: Database, statement: Sql): Promise<string[]> {
  const nodes = await planNodes(db, statement);
  return nodes.flatMap((node) => {
    const { "Node Type": type, "Relation Name": table, "Join Filter": filter } = node;
    const comparing = filter ? [`${type} compares each with each by ${filter}`] : [];
    const looksForNothing = table && /Scan$/.test(type) && !node["Index Cond"] && !node["TID Cond"];
    return looksForNothing ? [...comparing, `${type} of all of ${node["Index Name"] ?? table}`] : comparing;
  });
}

/** Returns the indexes that a statement uses, by the plan that a connection keeps. */
export async function usedIndexes(db: Database, statement: Sql): Promise<string[]> {
  return (await planNodes(db, statement)).flatMap((node) => node["Index Name"] ?? []);
}

/**
 * Returns the pages of 8 KB that a statement reads, as it is executed with its values on an ordinary connection. A page costs PostgreSQL
 * about a microsecond, however busy the machine is.
 */
export async function pagesRead(db: Database, { text, values }: Sql): Promise<number> {
  const { rows } = await db.listPool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
  const { "Shared Hit Blocks": hit = 0, "Shared Read Blocks": read = 0 }: PlanNode = rows[0]["QUERY PLAN"][0].Plan;
  return hit + read;
}

/** The yardstick compares 40,000 texts, in 12 ms of CPU on the fastest idle core that it was tried on, and 25 on the slowest. */
const yardstick = sql`SELECT count(*) FROM generate_series(1, 40000) AS n WHERE repeat('abcd ', 20) || n LIKE '%cda%'`;

/**
 * Returns the CPU time of a statement, as PostgreSQL itself counts it, in milliseconds of a core on which the yardstick takes 15: other
 * load on the machine makes both the statement and the yardstick more expensive. Both are run in turns, and the cheapest run of each
 * counts: of five, or of up to fifty until the time is below `enoughMs`.
 */
export async function cpuMs(db: Database, statement: Sql, enoughMs: number): Promise<number> {
  const client = await db.listPool.connect();
  let spent = 0;
  client.on("notice", ({ detail = "" }) => {
    for (const [, user, system] of detail.matchAll(/([\d.]+) s user, ([\d.]+) s system, [\d.]+ s elapsed/g))
      spent += 1_000 * (Number(user) + Number(system));
  });
  const run = async ({ text, values }: Sql) => {
    spent = 0;
    await client.query(text, values);
    return spent;
  };
  try {
    await client.query("SET client_min_messages = log; SET log_statement_stats = on");
    let [ms, leastMs, leastOfYardstick] = [Infinity, Infinity, Infinity];
    for (let turn = 1; turn <= 5 || (turn <= 50 && ms >= enoughMs); turn++) {
      leastMs = Math.min(leastMs, await run(statement));
      leastOfYardstick = Math.min(leastOfYardstick, await run(yardstick));
      ms = (15 * leastMs) / leastOfYardstick;
    }
    return ms;
  } finally {
    client.release(true);
  }
}

async function planNodes(db: Database, statement: Sql): Promise<PlanNode[]> {
  const withInner = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(withInner)];
  return withInner(await genericPlan(db, statement));
}

// Our connections plan for any values, so the values given here do not matter. EXPLAIN's own GENERIC_PLAN exists since PostgreSQL 16.
async function genericPlan(db: Database, { text, values }: Sql): Promise<PlanNode> {
  const client = await db.pool.connect();
  try {
    await client.query(`PREPARE explained AS ${text}`);
    const nothing = values.map(() => "NULL").join(", ");
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE explained${nothing && `(${nothing})`}`);
    return rows[0]["QUERY PLAN"][0].Plan;
  } finally {
    client.release(true);
  }
}
