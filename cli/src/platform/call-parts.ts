import type { DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { fail, failureIn } from "@shipping/kit/errors";
import { silentLog } from "@shipping/kit/process/log";
import { connectTo } from "@shipping/kit/rpc/client";
import { MAX_CALL_MS } from "@shipping/kit/rpc/replica";
import { describeError, type Finding } from "@shipping/kit/service/finding";
import { AccountsService } from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import {
  type Finding as FindingMessage,
  PortalOperationsService,
} from "@shipping/proto/shipping/portal/v1/operations_pb";
import { WebhooksOperationsService } from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import { notFound, type Platform } from "./find-platform.js";
import type { Part } from "./parts.js";
import { plain } from "./plain.js";

type Work<S extends DescService, T> = (client: Client<S>) => Promise<T>;

/** Connects to a part for some work, as the operator. Each call can take a minute. */
export async function callPart<S extends DescService, T>(
  platform: Platform,
  part: Part,
  service: S,
  work: Work<S, T>,
): Promise<T> {
  const urls = platform.rpc[part];
  if (!urls) {
    if (!platform.rpc.gateway) throw toFailure(notFound(platform));
    throw fail("service_unavailable", `The address of ${part} is unknown. Set ${part.toUpperCase()}_URL.`);
  }
  const transport = connectTo({ urls, log: silentLog(), tls: platform.tls, token: platform.token });
  try {
    return await work(createClient(service, asOperator(transport, platform)));
  } catch (error) {
    const refusal = failureIn(error);
    if (refusal && refusal.code !== "service_unavailable") throw refusal;
    const problem = refusal && (await findProblem(transport, platform, part));
    if (problem) throw toFailure(problem);
    throw fail("service_unavailable", `${part} at ${urls}: ${describeError(error)}`);
  } finally {
    await transport.close();
  }
}

/** Calls the gateway about accounts. */
export const onAccounts = <T>(platform: Platform, work: Work<typeof AccountsService, T>) =>
  callPart(platform, "gateway", AccountsService, work);

/** Calls the portal, whose database has the members of all accounts. */
export const onPortal = <T>(platform: Platform, work: Work<typeof PortalOperationsService, T>) =>
  callPart(platform, "portal", PortalOperationsService, work);

/** Calls webhooks about events and deliveries. */
export const onWebhooks = <T>(platform: Platform, work: Work<typeof WebhooksOperationsService, T>) =>
  callPart(platform, "webhooks", WebhooksOperationsService, work);

/** Calls a part about its own database. */
export const onOwner = <T>(platform: Platform, part: Part, work: Work<typeof OwnerOperationsService, T>) =>
  callPart(platform, part, OwnerOperationsService, work);

/** Adds the act to each call. A call that changes nothing when it is repeated is sent once more if its outcome is unknown. */
function asOperator(transport: Transport, { act }: Platform): Transport {
  const own = act === undefined ? {} : { "x-act-id": act };
  const unary: Transport["unary"] = async (method, signal, timeoutMs = MAX_CALL_MS, _, ...rest) => {
    const send = () => transport.unary(method, signal, timeoutMs, own, ...rest);
    try {
      return await send();
    } catch (error) {
      if (method.idempotency !== Level.IDEMPOTENT || failureIn(error)) throw error;
      return send();
    }
  };
  return { ...transport, unary };
}

/** Asks a part that answers, but cannot work, which of its servers is missing. */
async function findProblem(transport: Transport, platform: Platform, part: Part): Promise<Finding | undefined> {
  const owner = createClient(OwnerOperationsService, asOperator(transport, platform));
  const { findings } = await owner.checkServers({}).catch(() => ({ findings: [] }));
  const problem = findings.find(({ ok }) => !ok);
  return problem && toFinding(part, problem);
}

/** Converts a finding of a part. The part calls its own database just that. */
export function toFinding(whose: Part, message: FindingMessage): Finding {
  const { part, ok, says, advice, encryption } = message;
  return {
    ...{ part: part === "database" ? `${whose} database` : part, ok, says },
    ...(advice !== undefined && { advice }),
    ...(encryption && {
      encryption: {
        encrypted: encryption.encrypted,
        ...(encryption.protocol !== undefined && { protocol: encryption.protocol }),
        ...(encryption.certificate && { certificate: plain(encryption.certificate) }),
      },
    }),
  };
}

function toFailure({ part, says, advice }: Finding) {
  return fail("service_unavailable", `${part} ${says}${advice ? `. ${advice}` : ""}`);
}
