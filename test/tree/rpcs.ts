import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import type { Peers } from "@shipping/kit/tls/secure-server";
import { mapParts, type Part } from "@shipping/local/parts";
import { PARTS } from "@shipping/proto/parts";
import { parse } from "yaml";
import { read, root } from "./sources.js";

// Parts are loaded by their names, so that a new one is tried without a line here.
const load = createRequire(import.meta.url);

const services = readdirSync(join(root, "proto/gen/shipping"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith("_pb.ts"))
  .flatMap((path) => Object.values(load(`@shipping/proto/shipping/${path.replace(/\.ts$/, "")}`)))
  .filter((one): one is DescService => (one as Partial<DescService>).kind === "service");

function offersOf(part: Part): DescService[] {
  const { offers } = parse(read(`${PARTS[part].folder}/part.yaml`)) as { offers: string[] };
  return offers.map((offer) => {
    const found = services.find(({ typeName }) => typeName === `shipping.${offer}`);
    if (!found) throw new Error(`No proto has the service shipping.${offer}.`);
    return found;
  });
}

/** The table of a part's callers: `src/rpc.ts` exports it, or the file that starts the part. */
function peersOf(part: Part): Peers {
  const files = readdirSync(join(root, PARTS[part].folder, "src")).filter((name) =>
    ["rpc.ts", `start-${part}.ts`].includes(name),
  );
  const exported = files.flatMap((name) =>
    Object.entries(load(`@shipping/${part}/${name.replace(/\.ts$/, "")}`) as object),
  );
  const [, peers] = exported.find(([name]) => name === `${part}Peers`) ?? [];
  if (!peers) throw new Error(`${PARTS[part].folder}/src/rpc.ts must export ${part}Peers.`);
  return peers;
}

/** The RPC services of each part, and the methods that each other part may call. */
export const rpcs: Record<Part, { offers: readonly DescService[]; peers: Peers }> = mapParts((part) => ({
  offers: offersOf(part),
  peers: peersOf(part),
}));
