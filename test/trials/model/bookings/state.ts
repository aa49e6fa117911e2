/** A row of bookings. */
export interface Row {
  state: "unwritten" | "asked" | "held" | "voiding" | "cancelling" | "over";
  /** The customer's key, and the claim under it. */
  key: number;
  token: number;
  /** The driver that took it last, and whether its lease has not ended. */
  owner: number;
  leased: boolean;
  /** Whether a call of unknown outcome is stored: `open` while it may still take effect, `past` when enough time has passed to rule that out. */
  doubt: "none" | "open" | "past";
  due: boolean;
  /** The number of the booking that the label has. */
  has: number | undefined;
}

/** A driver of bookings: a request for a label or for a void, or the worker. */
export interface Driver {
  kind: "label" | "void" | "worker";
  key: number;
  at: "away" | "open" | "find" | "book" | "wait" | "ask again" | "record" | "cancel" | "cancelled" | "clean";
  row: number;
  token: number;
  isFresh: boolean;
  /** Whether the row was in doubt when it was taken. */
  wasInDoubt: boolean;
  /** The carrier's response: numbers of bookings. */
  told: number[];
}

export interface State {
  rows: Row[];
  /** At the carrier: the row of each booking, and whether it is active. */
  bookings: { row: number; stands: boolean }[];
  /** Calls under way that book. One that is executed has its booking. A call whose driver has given up has no driver. */
  calls: { row: number; driver: number | undefined; made: number | undefined }[];
  label: { booking: number; row: number; voided: boolean; isStale: boolean } | undefined;
  /** For each key of the customer: the highest closed claim, and whether it has its answer. */
  keys: { fence: number; hasResult: boolean }[];
  drivers: Driver[];
  /** The number of drivers that may still come. */
  left: { requests: number; voids: number; crashes: number; fences: number };
}

/** A customer's shipment with that many requests, each key once or more. */
export function initialState(keys: readonly number[], left: State["left"]): State {
  const away = { at: "away", row: -1, token: 0, isFresh: false, wasInDoubt: false, told: [] } as const;
  const drivers = keys.map((key): Driver => ({ ...away, kind: "label", key, told: [] }));
  return {
    rows: [],
    bookings: [],
    calls: [],
    label: undefined,
    keys: [0, 1].map(() => ({ fence: 0, hasResult: false })),
    drivers: [...drivers, { ...away, kind: "void", key: 0, told: [] }, { ...away, kind: "worker", key: 0, told: [] }],
    left,
  };
}

/** One step of a driver or of the environment: its effect on a copy of the state. */
export interface Move {
  does: string;
  act(state: State): void;
}

/** Ends a driver, as if it had never come. */
export function leave(driver: Driver): void {
  Object.assign(driver, { at: "away", row: -1, told: [], token: 0, isFresh: false, wasInDoubt: false });
}

/** The promise that a state breaks. */
export function brokenPromise(state: State): string | undefined {
  const { rows, bookings, label } = state;
  const wanted = (row: number) => ["unwritten", "asked", "held", "voiding"].includes(rows[row]?.state ?? "");
  if (bookings.filter(({ row, stands }) => stands && wanted(row)).length > 1) return "booked twice";
  if (label?.isStale) return "executed under a claim that was over";
  const stands = label && bookings[label.booking]?.stands;
  if (label?.voided && stands) return "voided, but charged";
  if (label && !label.voided && !stands && rows[label.row]?.state === "held") return "a label without a booking";
  if (!isQuiet(state)) return undefined;
  const standing = bookings.filter((booking) => booking.stands).length;
  const labels = label && !label.voided ? 1 : 0;
  if (standing > labels) return "charged without a label";
  return standing < labels ? "a label without a booking" : undefined;
}

/** No driver has anything left to do. */
export function isQuiet({ rows, calls, drivers }: State): boolean {
  return drivers.every(({ at }) => at === "away") && calls.length === 0 && !rows.some(({ due }) => due);
}
