import { startCluster } from "../cluster.js";
import { runChaos } from "./run-chaos.js";

// `npm run test:chaos -- [operations]`: the long form; the test in test/flows is the short one.
const operations = Number(process.argv[2] ?? 10_000);
const cluster = await startCluster(["--gateways", "3"], { RATE_LIMIT_PER_MINUTE: "1000000" });
try {
  const report = await runChaos(cluster, { operations, clients: 24, killEveryMs: 1_000 });
  console.log(JSON.stringify(report, null, 2));
  process.exitCode = Object.values(report.audit).every((count) => count === 0) ? 0 : 1;
} finally {
  await cluster.stop();
}
