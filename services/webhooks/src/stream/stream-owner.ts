import type { NatsConnection } from "@nats-io/transport-node";
import { isAtLeast } from "@shipping/kit/process/supported-versions";

/** The proof that an installation owns a stream. It is stored in the subscriber's database. */
export interface Owner {
  /**
   * The installation's ID. It is generated once, and again by each claim. Messages carry it, so that a subscriber can refuse those of another
   * installation.
   */
  id: string;
  /** The latest tokens, newest first. The stream has one of them. A restored copy of the database does not know those that were added later. */
  tokens: readonly string[];
  /** The ID before the last claim, and the sequence number of the last message that may still have it. */
  previous?: { id: string; until: number } | undefined;
}

/** Stores the owner in a database. */
export interface OwnerRecord {
  /** Reads the owner. The first call creates it. */
  read(): Promise<Owner>;
  /** Adds a token if one is due, and returns the changed owner. */
  turn(): Promise<Owner | undefined>;
  /** Creates a new owner, without storing it. Messages up to this sequence number have the ID of the old one. */
  renew(old: Owner, until: number): Owner;
  store(owner: Owner): Promise<void>;
}

/** The installation that subscribes: its configured name, and its owner record. */
export interface Installation {
  name: string;
  record: OwnerRecord;
}

/** The installation that must own a stream, with its owner record as it is now. */
export interface ExpectedOwner {
  name: string;
  owner: Owner;
}

/** Says which installation owns a stream or a consumer. */
export interface Mark {
  installation: string;
  id: string;
  /** The token; absent in the mark of a consumer. */
  token?: string | undefined;
}

/** The settings of a stream or a consumer that can hold a mark. */
export interface Marked {
  metadata?: Record<string, string>;
  description?: string;
}

/** Another installation owns the stream or the consumer, or this database is a copy of the owner's. */
export class NotOwnerError extends Error {}

/** The mark that this installation sets. It contains the second newest token, because a standby that takes over may not have the newest yet. */
export const markOf = ({ name, owner: { id, tokens } }: ExpectedOwner): Mark => ({
  installation: name,
  id,
  token: tokens[1] ?? tokens[0],
});

/** Returns the settings that mark a stream or a consumer: metadata, or the description, if the server is older than 2.10. */
export function marking({ info }: Pick<NatsConnection, "info">, mark: Mark, before: Marked = {}): Marked {
  if (!isAtLeast(info?.version ?? "", "2.10")) return { description: JSON.stringify(mark) };
  const { installation, id, token } = mark;
  const own = { installation, installation_id: id, ...(token !== undefined && { installation_token: token }) };
  return { metadata: { ...before.metadata, ...own } };
}

/** Reads the mark of a stream or a consumer; undefined if it has none. */
export function readMark({ metadata, description }: Marked): Mark | undefined {
  if (metadata?.installation_id !== undefined) {
    const { installation = "", installation_id: id, installation_token: token } = metadata;
    return { installation, id, token };
  }
  try {
    const { installation, id, token } = JSON.parse(description ?? "");
    return typeof id === "string" ? { installation: String(installation), id, token } : undefined;
  } catch {
    return undefined;
  }
}

/** Throws `NotOwnerError`, with the remedy, if another installation owns a stream or a consumer. `what` names it, such as `Stream EVENTS`. */
export function requireOwn(what: string, found: Mark | undefined, expected: ExpectedOwner): void {
  const whose = found && findOther(found, expected);
  if (whose === undefined) return;
  throw new NotOwnerError(
    `${what} on NATS belongs to ${whose}. This installation, ${quoted(expected.name)}, does not touch it. ` +
      "Give it a BUS_PREFIX or a NATS account of its own; if it replaces the other one, run: admin bus claim",
  );
}

/** Describes the other owner in a mark; undefined if this installation is the owner. */
export function findOther({ installation, id, token }: Mark, { name, owner }: ExpectedOwner): string | undefined {
  if (id !== owner.id) return `another installation, ${quoted(installation)}`;
  if (installation !== name) return `${quoted(installation)}, of which this database is a copy, or which was renamed`;
  if (token === undefined || owner.tokens.includes(token)) return undefined;
  return "a later state of this database, which was restored or copied";
}

// The text is escaped, because anyone who may change the stream could have written it.
const quoted = (text: string) => JSON.stringify(text.slice(0, 200));

/** Whether a message belongs to the owner, by the ID of its publisher's installation. Publishers of earlier releases send no ID. */
export function isOwn({ id, previous }: Owner, from: string | undefined, sequence: number): boolean {
  if (!from || from === id) return true;
  return from === previous?.id && sequence <= previous.until;
}
