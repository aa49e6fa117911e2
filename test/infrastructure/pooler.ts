import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import type { Report } from "../chaos/deliveries/report.js";
import { startCluster } from "../cluster.js";
import { startLoad } from "../failover/load.js";
import { forward } from "../failover/postgres/forward.js";
import { verdict } from "../failover/verdict.js";
import { startPgBouncer } from "./pgbouncer.js";
import { ONE_OF_EACH, startDatabases, withFolder } from "./stand.js";

const CALM_MS = 6_000;

/**
 * The workload through PgBouncer in transaction mode. Migrations have a direct connection; then every part is started again behind PgBouncer.
 * PgBouncer is killed under load, and then PostgreSQL behind it, which comes back at another port of the same address.
 */
export const poolerRow = (say: (line: string) => void): Promise<Report> =>
  withFolder(async (folder, ends) => {
    const dataDir = join(folder, "postgres");
    let postgresPort = 0;
    let pooled: number | undefined;
    const front = await forward(() => pooled ?? postgresPort);
    const back = await forward(() => postgresPort);
    ends.push(
      () => front.close(),
      () => back.close(),
    );
    const portOf = (server: typeof front) => (server.address() as AddressInfo).port;
    const { postgres, passwords, env } = await startDatabases(dataDir, {}, async (port) => {
      postgresPort = port;
      return portOf(front);
    });
    let latest = postgres;
    ends.push(() => latest.stop());
    const cluster = await startCluster(ONE_OF_EACH, { RATE_LIMIT_PER_MINUTE: "1000000", LOG_LEVEL: "info", ...env });
    ends.push(() => cluster.stop());
    let bouncer = await startPgBouncer({ postgresPort: portOf(back), users: passwords });
    ends.push(() => bouncer.stop());
    pooled = bouncer.port;
    const { processes } = await cluster.now();
    for (const { name } of processes.filter(({ name }) => !name.startsWith("nats"))) await cluster.kill(name);
    await cluster.healthy();
    say("all parts run behind PgBouncer");
    const load = await startLoad(cluster, { clients: 4 });
    await sleep(CALM_MS);
    say(`${load.acknowledged()} writes acknowledged; PgBouncer is killed`);
    bouncer.kill();
    await bouncer.exited;
    bouncer = await bouncer.startAgain();
    await sleep(CALM_MS);
    say(`${load.acknowledged()} writes acknowledged; PostgreSQL is killed and comes back elsewhere`);
    latest.kill();
    await latest.exited;
    latest = await startEmbeddedPostgres({ dataDir });
    postgresPort = latest.port;
    const backMs = performance.now();
    await sleep(CALM_MS * 2);
    say(`${load.acknowledged()} writes acknowledged; auditing`);
    const firstSuccessMs = load.attempts.firstSuccessAfter(backMs);
    return verdict(cluster, load, {
      figures: { firstSuccessMs },
      promises: [[(firstSuccessMs ?? 10_000) < 10_000, "No write succeeded within 10 s of PostgreSQL's return."]],
    });
  });
