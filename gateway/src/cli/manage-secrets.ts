import { createClient } from "@connectrpc/connect";
import { fail } from "@shipping/kit/errors";
import { silentLog } from "@shipping/kit/process/log";
import { connectTo } from "@shipping/kit/rpc/client";
import { type RotateSecretsResponse, WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { nowhere } from "./check-platform.js";
import type { Platform } from "./find-platform.js";
import { reasonOf } from "./finding.js";

const CALL_MS = 60_000;

/** What a rotation has done, and which keys of the ring hold secrets after it. */
export interface RotatedSecrets {
  writingKeyId: string;
  /** Sealed again. */
  subscriptions: number;
  ledgerBodies: number;
  usedKeyIds: string[];
  unusedKeyIds: string[];
  missingKeyIds: string[];
}

/** Has every secret sealed with the first key of the ring that webhooks was started with. */
export async function rotateSecrets(platform: Platform): Promise<RotatedSecrets> {
  const urls = platform.services.webhooks;
  if (!urls) throw unusable(platform);
  const transport = connectTo({ urls, log: silentLog(), tls: platform.tls });
  const { rotateSecrets: rotate } = createClient(WebhooksService, transport);
  const total = { subscriptions: 0, ledgerBodies: 0 };
  let writingKeyId: string | undefined;
  try {
    for (;;) {
      const answer = await rotate({}, { timeoutMs: CALL_MS });
      writingKeyId ??= answer.writingKeyId;
      // Each would undo the other's work.
      if (answer.writingKeyId !== writingKeyId) {
        throw new Error(
          `replicas encrypt with different keys, ${writingKeyId} and ${answer.writingKeyId}; give all of them the same SECRETS_KEYS first`,
        );
      }
      total.subscriptions += answer.subscriptions;
      total.ledgerBodies += answer.ledgerBodies;
      if (answer.usedKeyIds.length === 0 || didNothing(answer)) return { ...keysOf(answer), ...total };
    }
  } catch (error) {
    throw fail("service_unavailable", `webhooks at ${urls}: ${reasonOf(error)}`);
  } finally {
    await transport.close();
  }
}

/** The same for people. */
export function describeRotation(rotated: RotatedSecrets): string {
  const { writingKeyId, subscriptions, ledgerBodies, usedKeyIds, unusedKeyIds, missingKeyIds } = rotated;
  return [
    `Encrypted again with ${writingKeyId}: ${subscriptions} subscription secrets and ${ledgerBodies} stored answers.`,
    ...unusedKeyIds.map(
      (id) => `${id} is no longer used. Remove it once every replica of webhooks encrypts with ${writingKeyId}.`,
    ),
    ...usedKeyIds.map(
      (id) =>
        `${id} is still in use: a replica encrypts with it, or some secrets cannot be decrypted. Check the log of webhooks.`,
    ),
    ...missingKeyIds.map((id) => `${id} is in use but missing from SECRETS_KEYS. Add it after the other keys.`),
  ].join("\n");
}

/** Nothing is left that is not sealed with the first key. */
export function isComplete({ usedKeyIds, missingKeyIds }: RotatedSecrets): boolean {
  return usedKeyIds.length === 0 && missingKeyIds.length === 0;
}

function keysOf({ writingKeyId, usedKeyIds, unusedKeyIds, missingKeyIds }: RotateSecretsResponse) {
  return { writingKeyId, usedKeyIds, unusedKeyIds, missingKeyIds };
}

function didNothing({ subscriptions, ledgerBodies }: RotateSecretsResponse): boolean {
  return subscriptions + ledgerBodies === 0;
}

function unusable(platform: Platform) {
  if (!platform.databases.gateway) {
    const { part, says, advice } = nowhere(platform);
    return fail("service_unavailable", `${part} ${says}. ${advice}`);
  }
  return fail("service_unavailable", "The address of webhooks is unknown. Set WEBHOOKS_URL.");
}
