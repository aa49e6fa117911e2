import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createDatabases } from "@shipping/local/databases/prepare-databases";
import { mapParts, parts } from "@shipping/local/parts";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { startCluster } from "../../platform/cluster.js";
import { ONE_OF_EACH } from "../../platform/launch-cluster.js";
import { startLoad } from "../failover/load.js";
import { withServer } from "../failover/postgres/replication.js";
import { verdict } from "../failover/verdict.js";
import type { Report, Say } from "../kit/report.js";
import { withFolder } from "../kit/with-folder.js";
import { newPorts, startAnother } from "./another-process.js";

const REPLICAS = 10;
const MAX_CONNECTIONS = 100;
const CALM_MS = 5_000;

/**
 * Adds ten replicas under load to a server that takes 100 connections, which one replica of each part may nearly use alone. Each of them has to
 * become ready and to say with how few connections it works, and no request may fail.
 */
export const connectionsRow = (say: Say): Promise<Report> =>
  withFolder(async (folder, ends) => {
    const settings = { max_connections: String(MAX_CONNECTIONS) };
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "postgres"), settings });
    ends.push(() => postgres.stop());
    const passwords = mapParts(() => randomBytes(18).toString("base64url"));
    const urls = Object.entries(await createDatabases({ url: postgres.url("postgres"), passwords }));
    const env = Object.fromEntries(urls.map(([part, own]) => [`DATABASE_URL_${part.toUpperCase()}`, own]));
    const cluster = await startCluster(ONE_OF_EACH, { RATE_LIMIT_PER_MINUTE: "1000000", LOG_LEVEL: "info", ...env });
    ends.push(() => cluster.stop());
    const load = await startLoad(cluster, { clients: 8 });
    await sleep(CALM_MS);
    const used = () =>
      withServer(postgres.url("postgres"), async (client) => {
        const { rows } = await client.query(
          "SELECT count(*)::int AS used FROM pg_stat_activity WHERE usename <> 'postgres'",
        );
        return rows[0].used as number;
      }).catch((error) => `a superuser was refused: ${error}`);
    const usedBefore = await used();
    say(`${load.acknowledged()} writes acknowledged; ${usedBefore} connections; ${REPLICAS} replicas are added`);
    const added = await Promise.all(
      Array.from({ length: REPLICAS }, async (_, at) => {
        const [part, log] = [parts[at % parts.length]!, join(folder, `added-${at}.log`)];
        const another = await startAnother(cluster, `${part}-1`, { ports: await newPorts(), log });
        ends.push(() => another.kill());
        return { part, log, another, sinceMs: performance.now() };
      }),
    );
    const found = await Promise.all(
      added.map(async ({ part, log, another, sinceMs }) => {
        const failure = await another.ready().then(() => undefined, String);
        const lines = (await readFile(log, "utf8")).split("\n");
        const said = lines.filter((line) => /connection/.test(line) && /"level":"warn"/.test(line));
        const started = lines.find((line) => line.includes("database_connections"));
        say(`${part}: ${failure ?? "ready"}; ${[...said, started].join(" · ").slice(0, 600)}`);
        return { part, failure, readyMs: Math.round(performance.now() - sinceMs), said: said.length, started };
      }),
    );
    await sleep(CALM_MS);
    const usedAfter = await used();
    return verdict(say, cluster, load, {
      figures: {
        usedBefore,
        usedAfter,
        readyMs: found.map(({ readyMs }) => readyMs),
        said: found.map(({ said }) => said),
      },
      promises: [
        [found.every(({ failure }) => !failure), "A replica did not become ready."],
        [found.every(({ started }) => started), "A replica did not say how many connections it has."],
        [Object.keys(load.attempts.seen().failed).length === 0, "A request failed."],
      ],
    });
  });
