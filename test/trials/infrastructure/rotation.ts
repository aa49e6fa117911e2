import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createDatabases } from "@shipping/local/databases/prepare-databases";
import { mapParts, parts } from "@shipping/local/parts";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { startCluster } from "../../platform/cluster.js";
import { startLoad } from "../failover/load.js";
import { forward } from "../failover/postgres/forward.js";
import { withServer } from "../failover/postgres/replication.js";
import { verdict } from "../failover/verdict.js";
import type { Report, Say } from "../kit/report.js";
import { withFolder } from "../kit/with-folder.js";
import { replace, TWO_OF_EACH } from "../releases/mixed-releases.js";
import { startPgBouncer } from "./pgbouncer.js";

const CALM_MS = 2_000;
const LOADER = new URL("rotated-login.mjs", import.meta.url).href.replace("/dist/", "/");

/**
 * Changes the database password of each part under load, behind PgBouncer, as the guide says: a second role acts as the first one, the part is
 * restarted with it, and the first one is locked. No request may fail, and the sessions of the second have the part's settings.
 */
export const rotationRow = (say: Say): Promise<Report> =>
  withFolder(async (folder, ends) => {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "postgres") });
    ends.push(() => postgres.stop());
    let pooled: number | undefined;
    const direct = Number(new URL(postgres.url("postgres")).port);
    const front = await forward(() => pooled ?? direct);
    ends.push(() => front.close());
    const passwords = mapParts(() => randomBytes(18).toString("base64url"));
    const server = new URL(postgres.url("postgres"));
    server.port = String((front.address() as AddressInfo).port);
    const urls = Object.entries(await createDatabases({ url: server.href, passwords }));
    const env = Object.fromEntries(urls.map(([part, own]) => [`DATABASE_URL_${part.toUpperCase()}`, own]));
    const cluster = await startCluster(TWO_OF_EACH, {
      RATE_LIMIT_PER_MINUTE: "1000000",
      NODE_OPTIONS: `--import=${LOADER}`,
      ROTATED_FOLDER: folder,
      ...env,
    });
    ends.push(() => cluster.stop());
    const seconds = Object.fromEntries(parts.map((part) => [`${part}_2`, passwords[part]]));
    const users = { ...passwords, ...seconds };
    const bouncer = await startPgBouncer({ postgresPort: direct, users, settings: { max_client_conn: "400" } });
    ends.push(() => bouncer.stop());
    pooled = bouncer.port;
    const gateways = [...cluster.gateways];
    const portals = [...(await cluster.now()).portals];
    const replaceBoth = async (part: string) => {
      for (const name of [`${part}-1`, `${part}-2`])
        await replace(cluster, name, part === "portal" ? portals : gateways);
    };
    for (const part of parts) await replaceBoth(part);
    say("all parts run behind PgBouncer");
    const load = await startLoad({ ...cluster, gateways }, { clients: 4 });
    const asServer = (...statements: string[]) =>
      withServer(postgres.url("postgres"), async (client) => {
        let rows: { usename: string }[] = [];
        for (const statement of statements) ({ rows } = await client.query(statement));
        return rows;
      });
    for (const part of parts) {
      await asServer(
        `CREATE ROLE ${part}_2 LOGIN PASSWORD '${passwords[part]}' IN ROLE ${part}`,
        `ALTER ROLE ${part}_2 SET role TO ${part}`,
      );
      await writeFile(join(folder, part), "");
      await replaceBoth(part);
      await asServer(`ALTER ROLE ${part} NOLOGIN`);
      say(`${part}: a second role logs in, after ${load.acknowledged()} writes`);
      await sleep(CALM_MS);
    }
    const stored = await asServer(
      "SELECT rolname AS usename FROM pg_db_role_setting JOIN pg_roles ON setrole = pg_roles.oid WHERE setdatabase <> 0 AND rolname LIKE '%\\_2'",
    );
    return verdict(say, cluster, load, {
      figures: { stored: stored.length },
      promises: [
        [Object.keys(load.attempts.seen().failed).length === 0, "A request failed."],
        [stored.length === parts.length, "The settings of a second role are missing."],
      ],
    });
  });
