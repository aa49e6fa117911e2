import { LEDGER_OWNERS, OPTIONAL_PARTS } from "@shipping/proto/parts";
import { Command, InvalidArgumentError } from "commander";
import { examples, wholeNumber } from "../option-values.js";
import { isPublic, mapParts, type Part, parts } from "../parts.js";
import { addCheckout, type Checkouts, toPart } from "./checkouts.js";

/** The number of processes of each part, and the public port, which those of public parts follow; 0 selects free ports. */
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

/** The option for the number of a part's processes. */
export const countOption = (part: Part) => (isPublic(part) ? `${part}s` : part);

/** Two processes for parts between which a write can be repeated, because their replicas must agree about it. */
function defaultCount(part: Part): number {
  if (OPTIONAL_PARTS.some((one) => one === part)) return 1;
  return isPublic(part) || LEDGER_OWNERS.some((one) => one === part) ? 2 : 1;
}

/** Parses the command line. If it is invalid, prints an error and exits. */
export function clusterOptions(
  args: readonly string[],
  defaultPort: number,
  command = new Command("npm run cluster --"),
): ClusterOptions {
  command.description("Run the platform as separate processes. A process that exits is restarted.");
  for (const part of parts)
    command.option(`--${countOption(part)} <n>`, `number of ${part} processes`, count, defaultCount(part));
  command
    .option("--nats <n>", "number of NATS servers: 1, 3 or 5", clusterSize, 1)
    .option(
      "--port <n>",
      "public port, which those of the gateways and of other public parts follow; 0 picks free ports",
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
  const { port, nats, sharedBuffersMb, tls, from: checkouts = {}, only, others, ...counts } = command.opts();
  if ((only === undefined) !== (others === undefined))
    command.error("error: --only and --others belong together, such as --only webhooks --others main.");
  const replicas = mapParts((part) => counts[countOption(part)] as number);
  return { replicas, port, nats, sharedBuffersMb, tls, checkouts, ...(only && { one: { part: only, others } }) };
}
