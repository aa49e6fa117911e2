import { type RotateSecretsResponse, WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { CALL_MS, callService } from "../platform/call-service.js";
import type { Platform } from "../platform/find-platform.js";

/** The result of a rotation, and which keys of the ring are still in use. */
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
export function rotateSecrets(platform: Platform): Promise<RotatedSecrets> {
  return callService(platform, "webhooks", WebhooksService, async ({ rotateSecrets: rotate }) => {
    const total = { subscriptions: 0, ledgerBodies: 0 };
    let writingKeyId: string | undefined;
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
  });
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
