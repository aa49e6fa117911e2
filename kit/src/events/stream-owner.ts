import type { JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { isAtLeast } from "../process/supported-versions.js";

/** How an installation proves that a stream is its own. The subscriber's database keeps it. */
export interface Owner {
  /** The installation's ID: made once, and again by a claim. Messages carry it, so that nobody stores those of another. */
  id: string;
  /** The latest tokens, newest first. The stream has one of them: a restored copy of the database does not know the later ones. */
  tokens: readonly string[];
  /** The ID before a claim, and the sequence number of the last message that can have it. */
  previous?: { id: string; until: number } | undefined;
}

/** Keeps the owner in a database. */
export interface OwnerRecord {
  /** Reads the owner, which is made when it is read for the first time. */
  read(): Promise<Owner>;
  /** Adds a token if it is time to, and returns the owner with it. */
  turn(): Promise<Owner | undefined>;
  /** Makes a new owner, whose messages up to this sequence number have the ID of the old one. Stores nothing. */
  renew(old: Owner, until: number): Owner;
  store(owner: Owner): Promise<void>;
}

/** The installation that subscribes: its configured name, and its owner record. */
export interface Installation {
  name: string;
  record: OwnerRecord;
}

/** Whose a stream or a consumer is. */
export interface Mark {
  installation: string;
  id: string;
  /** Only of a stream. */
  token?: string | undefined;
}

/** The settings of a stream or a consumer that can hold a mark. */
export interface Marked {
  metadata?: Record<string, string>;
  description?: string;
}

/** The stream or the consumer belongs to another installation, or to one of which this database is a copy. */
export class OfAnother extends Error {}

/** The mark that this installation sets. The newest token is kept back: a standby that takes over may have missed it. */
export const markOf = (name: string, { id, tokens }: Owner): Mark => ({
  installation: name,
  id,
  token: tokens[1] ?? tokens[0],
});

/** The settings that mark a stream or a consumer: metadata, or the description, if the server is older than 2.10. */
export function marking({ info }: Pick<NatsConnection, "info">, mark: Mark, before: Marked = {}): Marked {
  if (!isAtLeast(info?.version ?? "", "2.10")) return { description: JSON.stringify(mark) };
  const { installation, id, token } = mark;
  const own = { installation, installation_id: id, ...(token !== undefined && { installation_token: token }) };
  return { metadata: { ...before.metadata, ...own } };
}

/** Reads whose a stream or a consumer is; undefined if nothing says so. */
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

/** Throws `OfAnother`, with what to do about it, if a stream or a consumer belongs to another. `what` names it: `Stream EVENTS`. */
export function requireOwn(what: string, found: Mark | undefined, name: string, owner: Owner): void {
  const whose = found && findOther(found, name, owner);
  if (whose === undefined) return;
  throw new OfAnother(
    `${what} on NATS belongs to ${whose}. This installation, ${quoted(name)}, does not touch it. ` +
      "Give it a BUS_PREFIX or a NATS account of its own; if it replaces the other one, run: admin bus claim",
  );
}

/** Who else a mark says the owner is; undefined if it is this installation's. */
export function findOther({ installation, id, token }: Mark, name: string, owner: Owner): string | undefined {
  if (id !== owner.id) return `another installation, ${quoted(installation)}`;
  if (installation !== name) return `${quoted(installation)}, of which this database is a copy, or which was renamed`;
  if (token === undefined || owner.tokens.includes(token)) return undefined;
  return "a later state of this database, which was restored or copied";
}

// The text comes from whoever may change the stream.
const quoted = (text: string) => JSON.stringify(text.slice(0, 200));

/** Whether a message with this ID of its publisher's installation is the owner's own. Publishers of earlier releases send none. */
export function isOwn({ id, previous }: Owner, from: string | undefined, sequence: number): boolean {
  if (!from || from === id) return true;
  return from === previous?.id && sequence <= previous.until;
}

/** What can be marked on NATS. */
interface Place {
  nc: NatsConnection;
  manager: JetStreamManager;
  stream: string;
}

/** Marks the stream. Other settings stay as they are. */
export async function markStream({ nc, manager, stream }: Place, mark: Mark): Promise<void> {
  const { config } = await manager.streams.info(stream);
  await manager.streams.update(stream, marking(nc, mark, config));
}

/** Marks a consumer of the stream. */
export async function markConsumer(
  { nc, manager, stream, durable }: Place & { durable: string },
  { installation, id }: Mark,
): Promise<void> {
  const { config } = await manager.consumers.info(stream, durable);
  await manager.consumers.update(stream, durable, marking(nc, { installation, id }, config));
}
