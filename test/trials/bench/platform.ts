import { startCluster } from "../../platform/cluster.js";
import { ofEach } from "../../platform/launch-cluster.js";
import { createCustomers, exhaust, inTurn } from "./customers.js";
import { openTarget } from "./target.js";

/** Requests per minute and key: the specification's. */
const LIMIT = 120;

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Starts `npm run cluster` and creates hundreds or thousands of keys. */
export async function startPlatform(wanted: {
  replicas: number;
  /** Whether the parts speak mutual TLS; by default not. */
  tls?: boolean;
  accounts: number;
  keysOfEach: number;
  env?: NodeJS.ProcessEnv;
}) {
  const flags = ofEach(wanted.replicas);
  if (wanted.tls) flags.push("--tls");
  const cluster = await startCluster(flags, {
    ...wanted.env,
    // The default log level of operators, because the cost of a log line is part of the result.
    LOG_LEVEL: "info",
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
    WEBHOOK_ALLOW_PRIVATE_TARGETS: "true",
  });
  const { gateway } = cluster.databases;
  const customers = await createCustomers(gateway, wanted);
  const limited = await createCustomers(gateway, { accounts: wanted.accounts, keysOfEach: 1 });
  const { processes } = await cluster.now();
  const target = openTarget({
    name: "platform",
    baseUrls: cluster.gateways,
    customers: inTurn(customers),
    limited: inTurn(limited),
    limit: () => exhaust(gateway, limited, LIMIT),
    processes: () => processes,
    databases: cluster.databases,
  });
  return {
    target,
    cluster,
    async stop() {
      await target.close();
      await cluster.stop();
    },
  };
}
