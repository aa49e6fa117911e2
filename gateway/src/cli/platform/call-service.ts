import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient } from "@connectrpc/connect";
import { fail, failureIn } from "@shipping/kit/errors";
import { silentLog } from "@shipping/kit/process/log";
import { connectTo } from "@shipping/kit/rpc/client";
import { MAX_CALL_MS } from "@shipping/kit/rpc/replica";
import { nowhere, type Part, type Platform } from "./find-platform.js";
import { reasonOf } from "./finding.js";

/** How long an operator waits for one answer. */
export const CALL_MS = MAX_CALL_MS;

/** Calls a service of a platform as an operator does: with the identity of the gateway, in whose pods the commands run. */
export async function callService<S extends DescService, T>(
  platform: Platform,
  part: Exclude<Part, "gateway">,
  service: S,
  work: (client: Client<S>) => Promise<T>,
): Promise<T> {
  const urls = platform.services[part];
  if (!urls) throw unknown(platform, part);
  const transport = connectTo({ urls, log: silentLog(), tls: platform.tls });
  try {
    return await work(createClient(service, transport));
  } catch (error) {
    const refusal = failureIn(error);
    if (refusal && refusal.code !== "service_unavailable") throw refusal;
    throw fail("service_unavailable", `${part} at ${urls}: ${reasonOf(error)}`);
  } finally {
    await transport.close();
  }
}

function unknown(platform: Platform, part: Part) {
  if (!platform.databases.gateway) {
    const { part: name, says, advice } = nowhere(platform);
    return fail("service_unavailable", `${name} ${says}. ${advice}`);
  }
  return fail("service_unavailable", `The address of ${part} is unknown. Set ${part.toUpperCase()}_URL.`);
}
