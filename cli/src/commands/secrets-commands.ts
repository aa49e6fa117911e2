import { type RotateSecretsResponse, WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { CommanderError } from "commander";
import { callPart } from "../platform/call-parts.js";
import type { Platform } from "../platform/find-platform.js";
import { plain } from "../platform/plain.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";

export function addSecretsCommands(admin: AdminCommand, { print, platform }: Tools): void {
  const secrets = admin.command("secrets").description("Manage the encryption of webhook secrets").examples("rotate");
  secrets
    .command("rotate")
    .description("Encrypt everything with the first key of SECRETS_KEYS, and say which keys you can remove")
    .examples("")
    .changes(async () => {
      const rotated = await rotateSecrets(await platform());
      print(rotated, describeRotation(rotated));
      if (rotated.usedKeyIds.length > 0 || rotated.missingKeyIds.length > 0)
        throw new CommanderError(1, "admin.secrets", "some secrets are not encrypted with the first key");
    });
}

/** The totals of a rotation, and the state of the keys after it. */
type RotatedSecrets = Omit<RotateSecretsResponse, "$typeName" | "$unknown">;

/** Encrypts batch after batch with the first key of webhooks' SECRETS_KEYS, until no secret uses another key or a batch changes none. */
function rotateSecrets(platform: Platform): Promise<RotatedSecrets> {
  return callPart(platform, "webhooks", WebhooksService, async (webhooks) => {
    const total = { subscriptions: 0, ledgerBodies: 0 };
    let firstKeyId: string | undefined;
    for (;;) {
      const { subscriptions, ledgerBodies, ...keys } = plain(await webhooks.rotateSecrets({}));
      firstKeyId ??= keys.writingKeyId;
      // Two replicas with different first keys would undo each other's work.
      if (keys.writingKeyId !== firstKeyId) {
        throw new Error(
          `replicas encrypt with different keys, ${firstKeyId} and ${keys.writingKeyId}; give all of them the same SECRETS_KEYS first`,
        );
      }
      total.subscriptions += subscriptions;
      total.ledgerBodies += ledgerBodies;
      if (keys.usedKeyIds.length === 0 || subscriptions + ledgerBodies === 0) return { ...keys, ...total };
    }
  });
}

function describeRotation(rotated: RotatedSecrets): string {
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
