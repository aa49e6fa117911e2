import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Random } from "@shipping/kit/ids";
import type { LedgerCodec, LedgerContext } from "@shipping/kit/ledger/ledger";

/** A key of 32 bytes, and the ID by which the sealed bytes name it. */
export interface SealingKey {
  id: string;
  key: Uint8Array;
}

/**
 * Seals secrets at rest with AES-256-GCM. `identity` names the row that a secret belongs to: a sealed secret cannot be opened in another
 * row.
 */
export interface KeyRing {
  /** The IDs of its keys; the first one seals. */
  readonly ids: readonly [string, ...string[]];
  seal(secret: Uint8Array, identity: readonly string[]): Uint8Array;
  open(sealed: Uint8Array, identity: readonly string[]): Uint8Array;
}

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Creates a ring whose first key seals and whose keys all open. The sealed form: length of the ID (1 byte), ID, nonce, tag, ciphertext. */
export function createKeyRing(keys: readonly SealingKey[], random: Random): KeyRing {
  const writing = keys[0];
  if (!writing) throw new Error("A key ring needs a key.");
  return {
    ids: [writing.id, ...keys.slice(1).map(({ id }) => id)],
    seal(secret, identity) {
      const id = Buffer.from(writing.id);
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, writing.key, nonce).setAAD(associated(identity));
      const text = Buffer.concat([cipher.update(secret), cipher.final()]);
      return Buffer.concat([Buffer.of(id.length), id, nonce, cipher.getAuthTag(), text]);
    },
    open(sealed, identity) {
      const start = 1 + (sealed[0] ?? 0);
      const id = Buffer.from(sealed.subarray(1, start)).toString();
      const found = keys.find((candidate) => candidate.id === id);
      if (!found) throw new Error(`A secret is encrypted with the key ${id}, which is not in the key ring.`);
      const tagAt = start + NONCE_BYTES;
      const textAt = tagAt + TAG_BYTES;
      const decipher = createDecipheriv(ALGORITHM, found.key, sealed.subarray(start, tagAt), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(associated(identity))
        .setAuthTag(sealed.subarray(tagAt, textAt));
      return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]);
    },
  };
}

/** Seals the ledger's bodies, because the answer to a creation contains the subscription's secret. */
export function ledgerCodec(keyRing: KeyRing): LedgerCodec {
  return {
    seal: (body, context) => keyRing.seal(body, ledgerIdentity(context)),
    open: (stored, context) => keyRing.open(stored, ledgerIdentity(context)),
  };
}

/** Returns the identity to which a body of the ledger is sealed. */
export function ledgerIdentity({ accountId, environment, idempotencyKey }: LedgerContext): readonly string[] {
  return ["ledger", accountId, environment, idempotencyKey];
}

// The identity is JSON, because ["a", "bc"] and ["ab", "c"] must differ.
function associated(identity: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(identity));
}
