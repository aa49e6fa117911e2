import { startCluster } from "../cluster.js";
import { runChaos } from "./run-chaos.js";

// `npx tsx --conditions=source test/chaos/main.ts [operations]` after `npm run build`: the long form of the test in test/flows.
const operations = Number(process.argv[2] ?? 10_000);
const cluster = await startCluster(["--gateways", "3"], { RATE_LIMIT_PER_MINUTE: "1000000" });
try {
  const report = await runChaos(cluster, { operations, clients: 24, killEveryMs: 1_000 });
  console.log(JSON.stringify(report, null, 2));
  process.exitCode = Object.values(report.audit).every((count) => count === 0) ? 0 : 1;
} finally {
  await cluster.stop();
}
