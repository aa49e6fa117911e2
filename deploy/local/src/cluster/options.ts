import { Command, InvalidArgumentError } from "commander";
import { examples, wholeNumber } from "../option-values.js";
import type { Part } from "../parts.js";
import { addCheckout, type Checkouts, toPart } from "./checkouts.js";

/** The number of processes of each part, and the public port, which those of the gateways and the portals follow; 0 selects free ports. */
export interface ClusterOptions {
  replicas: Record<Part, number>;
  port: number;
  /** The number of NATS servers that share the stream: one, or a cluster of three or five. */
  nats: number;
  /** PostgreSQL's shared_buffers in MB. */
  sharedBuffersMb: number;
  /** True if the parts speak mutual TLS, with certificates made in the data folder. */
  tls: boolean;
  /** The parts that run from another checkout. */
  checkouts: Checkouts;
  /** The only part that runs from this checkout, and the revision or folder of a checkout from which all others run. */
  one?: { part: Part; others: string };
}

const count = wholeNumber(1, 99);

// With two servers, the loss of either costs the majority.
function clusterSize(text: string): number {
  if (/^[135]$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Use 1, 3 or 5.");
}

/** Parses the command line. If it is invalid, prints an error and exits. */
export function clusterOptions(
  args: readonly string[],
  defaultPort: number,
  command = new Command("npm run cluster --"),
): ClusterOptions {
  command
    .description("Run the platform as separate processes. A process that exits is restarted.")
    .option("--gateways <n>", "number of gateway processes", count, 2)
    .option("--portals <n>", "number of portal processes", count, 1)
    .option("--records <n>", "number of records processes", count, 2)
    .option("--carrier <n>", "number of carrier processes", count, 2)
    .option("--tracking <n>", "number of tracking processes", count, 1)
    .option("--webhooks <n>", "number of webhooks processes", count, 2)
    .option("--nats <n>", "number of NATS servers: 1, 3 or 5", clusterSize, 1)
    .option(
      "--port <n>",
      "public port, which those of the gateways and the portals follow; 0 picks free ports",
      wholeNumber(0, 65_535),
      defaultPort,
    )
    .option("--shared-buffers-mb <n>", "size of PostgreSQL's shared buffers", wholeNumber(1, 1_000_000), 128)
    .option("--tls", "use mutual TLS between the parts", false)
    .option(
      "--from <part=folder>",
      "run a part from another checkout, such as records=../main; can be repeated",
      addCheckout,
    )
    .option("--only <part>", "run only this part from this checkout, with --others", (name) => toPart(name))
    .option(
      "--others <revision>",
      "run all other parts from a release, which is built once, or from a checkout's folder",
    )
    .addHelpText(
      "after",
      examples(
        "npm run cluster",
        "npm run cluster -- --gateways 3 --tls",
        "npm run cluster -- --nats 3",
        "npm run cluster -- --only webhooks --others main",
      ),
    )
    .parse(args, { from: "user" });
  const { gateways, portals, port, nats, sharedBuffersMb, tls, ...further } = command.opts();
  const { from: checkouts = {}, only, others, ...services } = further;
  if ((only === undefined) !== (others === undefined))
    command.error("error: --only and --others belong together, such as --only webhooks --others main.");
  const replicas = { gateway: gateways, portal: portals, ...services } as Record<Part, number>;
  return { replicas, port, nats, sharedBuffersMb, tls, checkouts, ...(only && { one: { part: only, others } }) };
}
