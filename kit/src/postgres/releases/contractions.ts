import { setTimeout } from "node:timers/promises";
import pg from "pg";
import type { Log } from "../../process/log.js";
import { Unsupported } from "../../process/supported-versions.js";
import { isOlder, RELEASE } from "../../release.js";

/** A migration, read from its folder. */
interface Script {
  name: string;
  script: string;
}

/** A migration that removes or restricts something, from the heading of its script. */
interface Contraction {
  name: string;
  /** The oldest release whose code works on the schema afterwards, from `-- contracts: needs 1.1.0`. */
  needs: string;
  /** A query that returns rows as long as a backfill is incomplete, from `-- backfilled: SELECT …`. */
  unfinished: string | undefined;
}

/** The releases of a schema. They are in the comment of the history's table, so that Prisma's CLI finds no table that it does not know. */
interface SchemaReleases {
  /** The release that migrated last. */
  release: string;
  /** The oldest release whose code works on the schema. */
  needs: string;
}

/** The name of connections that belong to no part, such as those of a trial that looks into a part's database. */
export const NO_PART = "shipping";

/** Returns the name that a connection has in `pg_stat_activity`, and which poolers pass on. PostgreSQL cuts names off after 63 bytes. */
export function sessionName(given: string | undefined): string | undefined {
  return given === undefined || given === NO_PART ? given : `${given.slice(0, 40)} ${RELEASE}`;
}

/** The release whose migrations are the first of each part. */
const FIRST = "1.0.0";

/** Returns what the heading of a migration's script says, or undefined if the migration only expands the schema. */
export function contractionIn({ name, script }: Script): Contraction | undefined {
  const [heading = ""] = /^(?:--.*\n)*/.exec(script) ?? [];
  const [, needs] = /^-- contracts: needs (\d+\.\d+\.\d+)\b/m.exec(heading) ?? [];
  const [, unfinished] = /^-- backfilled: (.+)$/m.exec(heading) ?? [];
  return needs === undefined ? undefined : { name, needs, unfinished };
}

/** Returns the releases of a schema. A history without them is the first release's. */
export async function readReleases(connection: Pick<pg.ClientBase, "query">): Promise<SchemaReleases> {
  const { rows } = await connection.query<{ comment: string | null }>(
    "SELECT obj_description(to_regclass('_prisma_migrations'), 'pg_class') AS comment",
  );
  const [, release = FIRST, needs = FIRST] = /^release (\S+), needs (\S+)$/.exec(rows[0]!.comment ?? "") ?? [];
  return { release, needs };
}

async function writeReleases(connection: Pick<pg.ClientBase, "query">, { release, needs }: SchemaReleases) {
  const comment = pg.escapeLiteral(`release ${release}, needs ${needs}`);
  await connection.query(`COMMENT ON TABLE _prisma_migrations IS ${comment}`);
}

/** Throws if migrations have removed what the code of this release uses. */
export async function requireCompatible(connection: Pick<pg.ClientBase, "query">, release: string): Promise<void> {
  const { needs } = await readReleases(connection);
  if (!isOlder(release, needs)) return;
  throw new Unsupported(
    `The schema of this database needs release ${needs} or newer, and this is ${release}: deploy ${needs} or newer. A rollback to ${release} would need a backup from before that upgrade.`,
  );
}

interface Contracting {
  client: pg.Client;
  log: Log;
  patience: { watchMs: number };
  /** The release that migrates. */
  release: string;
}

/**
 * Guards a run of migrations. Throws before the first of them if one would remove what code in use needs. `isEmpty`: the database had no
 * migrations, so that nothing uses it.
 */
export async function guardContractions(
  contracting: Contracting,
  { missing, isEmpty }: { missing: readonly Script[]; isEmpty: boolean },
) {
  const { client, release } = contracting;
  await requireCompatible(client, release);
  let releases = isEmpty ? { release, needs: FIRST } : await readReleases(client);
  const contractions = new Map(missing.flatMap((one) => contractionIn(one) ?? []).map((one) => [one.name, one]));
  if (contractions.size > 0 && !isEmpty) {
    requireStops(releases, release, [...contractions.values()]);
    await requireNoneOlder(contracting, [...contractions.values()]);
  }
  return {
    /** Called before a migration is applied. From a contraction on, older code does not start any more. */
    async before({ name }: Script): Promise<void> {
      const contraction = contractions.get(name);
      if (!contraction) return;
      await requireBackfill(client, contraction);
      if (!isOlder(releases.needs, contraction.needs)) return;
      releases = { ...releases, needs: contraction.needs };
      await writeReleases(client, releases);
    },
    /** Called when all are applied. */
    async done(): Promise<void> {
      const { release: last } = await readReleases(client);
      if (last !== release || isEmpty) await writeReleases(client, { ...releases, release });
    },
  };
}

// The code of a release between completes what a contraction relies on, such as a backfill, and the other parts may still call the old code.
function requireStops(from: SchemaReleases, to: string, contractions: readonly Contraction[]): void {
  const skipped = contractions.filter(({ needs }) => isOlder(from.release, needs));
  if (skipped.length === 0) return;
  const stops = [...new Set(skipped.map(({ needs }) => needs))].sort((one, other) => (isOlder(one, other) ? -1 : 1));
  throw new Unsupported(
    `Release ${to} cannot follow ${from.release} directly, because its migration ${skipped[0]!.name} removes what ${from.release} uses: upgrade to ${stops.join(", then to ")}, and then to ${to}.`,
  );
}

const LOOK_MS = 200;

/**
 * Throws if a part whose release is older than a contraction allows is connected. It looks several times, because behind a pooler, a session
 * has the name of whoever used it last.
 */
async function requireNoneOlder(
  { client, log, patience, release }: Contracting,
  contractions: readonly Contraction[],
): Promise<void> {
  const [first, ...others] = contractions;
  const { name, needs } = others.reduce((one, other) => (isOlder(one.needs, other.needs) ? other : one), first!);
  if (patience.watchMs > 0) log.info({ migration: name, needs }, "looking for connections of older releases");
  for (const until = performance.now() + patience.watchMs; ; await setTimeout(LOOK_MS)) {
    const { rows } = await client.query<{ part: string; release: string }>(`
      SELECT DISTINCT part[1] AS part, part[2] AS release
      FROM pg_stat_activity, regexp_match(application_name, '^(.*) (\\d+\\.\\d+\\.\\d+)$') AS part
      WHERE datname = current_database() AND part IS NOT NULL ORDER BY 1, 2`);
    const older = rows.filter((one) => isOlder(one.release, needs));
    if (older.length > 0) {
      const found = older.map((one) => `${one.part} ${one.release}`).join(", ");
      throw new Unsupported(
        `Migration ${name} of release ${release} removes what releases before ${needs} use, and ${found} is connected: upgrade to ${needs} first, or wait until its last process has ended, and migrate again.`,
      );
    }
    if (performance.now() >= until) return;
  }
}

async function requireBackfill(client: pg.Client, { name, needs, unfinished }: Contraction): Promise<void> {
  if (unfinished === undefined) return;
  const { rowCount } = await client.query(unfinished);
  if (!rowCount) return;
  throw new Unsupported(
    `Migration ${name} has to wait for a backfill, which release ${needs} does as it runs: leave ${needs} running until this returns no rows, and migrate again: ${unfinished}`,
  );
}
