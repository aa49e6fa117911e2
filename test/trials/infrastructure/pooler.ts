import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ONE_OF_EACH } from "../../platform/launch-cluster.js";
import { startLoad } from "../failover/load.js";
import { forward } from "../failover/postgres/forward.js";
import { startPair } from "../failover/postgres/pair.js";
import { verdict } from "../failover/verdict.js";
import type { Report, Say } from "../kit/report.js";
import { withFolder } from "../kit/with-folder.js";
import { startPgBouncer } from "./pgbouncer.js";

const CALM_MS = 6_000;

/**
 * The workload through PgBouncer in transaction mode. Migrations have a direct connection; then every part is started again behind PgBouncer.
 * PgBouncer is killed under load, and then PostgreSQL is lost behind it and its standby promoted.
 */
export const poolerRow = (say: Say): Promise<Report> =>
  withFolder(async (_folder, ends) => {
    let pooled: number | undefined;
    let direct = 0;
    let users: Record<string, string> = {};
    const pair = await startPair("sync", ONE_OF_EACH, { LOG_LEVEL: "info" }, async (port, passwords) => {
      [direct, users] = [port, passwords];
      const front = await forward(() => pooled ?? direct);
      ends.push(() => front.close());
      return (front.address() as AddressInfo).port;
    });
    const { cluster } = pair;
    ends.push(() => pair.stop());
    let bouncer = await startPgBouncer({ postgresPort: direct, users, settings: { server_login_retry: "1" } });
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
    say(`${load.acknowledged()} writes acknowledged; PostgreSQL is lost, and its standby promoted`);
    await pair.losePrimary();
    const promotedMs = await pair.failOver();
    await sleep(CALM_MS * 2);
    const firstSuccessMs = load.attempts.firstSuccessAfter(promotedMs);
    return verdict(say, cluster, load, {
      figures: { firstSuccessMs },
      promises: [[(firstSuccessMs ?? 10_000) < 10_000, "No write succeeded within 10 s of the promotion."]],
    });
  });
