/** The identity in a certificate: a part, and the platform that it belongs to. */
export interface PartIdentity {
  platform: string;
  part: string;
}

const SPIFFE = /^URI:(spiffe:\/\/[\w.-]+(?:\/[\w.-]+)*)\/([\w.-]+)$/;

/**
 * Reads the identity from a certificate's alternative names as Node prints them: their only URI, in SPIFFE's form.
 * `spiffe://cluster.local/ns/shipping/eu/records` is the part `records` of the platform before it. Undefined if there is none.
 */
export function identityIn(subjectAltName = ""): PartIdentity | undefined {
  // Node quotes a name that could be taken for several. None of ours is quoted.
  const names = subjectAltName.includes('"') ? [] : subjectAltName.split(", ");
  const [uri, ...more] = names.filter((name) => name.startsWith("URI:"));
  const [, platform, part] = SPIFFE.exec(uri ?? "") ?? [];
  return platform && part && more.length === 0 ? { platform, part } : undefined;
}
