import { Command } from "commander";
import { examples, wholeNumber } from "../option-values.js";
import type { Part } from "../parts.js";

/** How many processes of each part a cluster has, and where its first gateway listens; 0 takes free ports. */
export interface ClusterOptions {
  replicas: Record<Part, number>;
  port: number;
  /** Megabytes of PostgreSQL's own cache. */
  sharedBuffersMb: number;
  /** Whether the parts speak mutual TLS, with certificates made in the data folder. */
  tls: boolean;
}

const replicas = wholeNumber(1, 99);

/** Reads the command line. One that it cannot understand ends the process, with a sentence. */
export function clusterOptions(
  args: readonly string[],
  defaultPort: number,
  command = new Command("npm run cluster --"),
): ClusterOptions {
  command
    .description("The platform as separate processes, restarted when they end.")
    .option("--gateways <n>", "processes of the gateway", replicas, 2)
    .option("--records <n>", "processes of records", replicas, 2)
    .option("--carrier <n>", "processes of carrier", replicas, 2)
    .option("--tracking <n>", "processes of tracking", replicas, 1)
    .option("--webhooks <n>", "processes of webhooks", replicas, 2)
    .option("--port <n>", "where the first gateway listens; 0 takes free ports", wholeNumber(0, 65_535), defaultPort)
    .option("--shared-buffers-mb <n>", "PostgreSQL's own cache", wholeNumber(1, 1_000_000), 128)
    .option("--tls", "mutual TLS between the parts", false)
    .addHelpText("after", examples("npm run cluster", "npm run cluster -- --gateways 3 --tls"))
    .parse(args, { from: "user" });
  const { gateways: gateway, port, sharedBuffersMb, tls, ...others } = command.opts();
  return { replicas: { gateway, ...others } as Record<Part, number>, port, sharedBuffersMb, tls };
}
