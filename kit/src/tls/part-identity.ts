/** Whose a certificate is: a part, and the platform that it belongs to. */
export interface PartIdentity {
  platform: string;
  part: string;
}

const SPIFFE = /^URI:(spiffe:\/\/[\w.-]+(?:\/[\w.-]+)*)\/([\w.-]+)$/;

/**
 * The identity in a certificate's alternative names as Node prints them: its one URI, of the form of SPIFFE.
 * `spiffe://cluster.local/ns/shipping/eu/records` is `records` of the platform before it. Undefined if it has none.
 */
export function identityIn(subjectAltName = ""): PartIdentity | undefined {
  // Node quotes a name that could be taken for several. None of ours is one.
  const names = subjectAltName.includes('"') ? [] : subjectAltName.split(", ");
  const [uri, ...more] = names.filter((name) => name.startsWith("URI:"));
  const [, platform, part] = SPIFFE.exec(uri ?? "") ?? [];
  return platform && part && more.length === 0 ? { platform, part } : undefined;
}
