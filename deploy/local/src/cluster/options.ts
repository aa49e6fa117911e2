import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { examples, wholeNumber } from "../option-values.js";
import { type Part, parts } from "../parts.js";

export type Programs = Partial<Record<Part, string>>;

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
  programs: Programs;
}

const count = wholeNumber(1, 99);

// With two servers, the loss of either costs the majority.
function clusterSize(text: string): number {
  if (/^[135]$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Use 1, 3 or 5.");
}

function addProgram(text: string, before: Programs = {}): Programs {
  const [, name = "", checkout = ""] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  const part = parts.find((known) => known === name);
  if (!part) throw new InvalidArgumentError(`Use PART=FOLDER, where PART is one of ${parts.join(", ")}.`);
  const program = resolve(checkout, part === "gateway" ? part : `services/${part}`, "dist/main.js");
  if (existsSync(program)) return { ...before, [part]: program };
  throw new InvalidArgumentError(`${program} does not exist. Run this there first: npm ci && npm run build`);
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
      addProgram,
    )
    .addHelpText(
      "after",
      examples("npm run cluster", "npm run cluster -- --gateways 3 --tls", "npm run cluster -- --nats 3"),
    )
    .parse(args, { from: "user" });
  const { gateways, portals, port, nats, sharedBuffersMb, tls, from: programs = {}, ...others } = command.opts();
  const replicas = { gateway: gateways, portal: portals, ...others } as Record<Part, number>;
  return { replicas, port, nats, sharedBuffersMb, tls, programs };
}
