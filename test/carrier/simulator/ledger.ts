import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** A booking in the carrier's ledger. */
export interface Entry {
  reference: string;
  /** The value of the client's Idempotency-Key. */
  key: string;
  trackingNumber: string;
  service: string;
  shipmentReference: string;
  currency: string;
  amount: number;
  isCancelled: boolean;
}

/** The carrier's ledger: a file with a line for each change, so that it outlives the carrier's process. */
export interface Ledger {
  book(entry: Omit<Entry, "isCancelled">): Entry;
  /** False if there is no such booking. */
  cancel(reference: string): boolean;
  /** All bookings under a key, the oldest first. */
  under(key: string): Entry[];
  all(): Entry[];
}

/** Opens the ledger in a file, and creates the file if it is missing. */
export function openLedger(file: string): Ledger {
  const entries = new Map<string, Entry>();
  const keys = new Map<string, Entry[]>();
  const put = (entry: Entry) => {
    const known = entries.get(entry.reference);
    if (known) Object.assign(known, entry);
    else {
      entries.set(entry.reference, entry);
      keys.set(entry.key, [...(keys.get(entry.key) ?? []), entry]);
    }
  };
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  // The last line may be incomplete.
  for (const line of lines.slice(0, -1)) put(JSON.parse(line));
  const write = (entry: Entry) => {
    appendFileSync(file, `${JSON.stringify(entry)}\n`);
    put(entry);
    return entry;
  };

  return {
    book: (entry) => write({ ...entry, isCancelled: false }),
    cancel(reference) {
      const entry = entries.get(reference);
      if (entry && !entry.isCancelled) write({ ...entry, isCancelled: true });
      return entry !== undefined;
    },
    under: (key) => keys.get(key) ?? [],
    all: () => [...entries.values()],
  };
}
