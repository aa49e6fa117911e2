import { leave, type Move, type State } from "./state.js";

/** The moves of the carrier, of time and of accidents. */
export function mishaps(state: State, takesKeys: boolean): Move[] {
  const moves: Move[] = [];
  for (const [index, { row, driver, made }] of state.calls.entries()) {
    const known = takesKeys ? state.bookings.findIndex((booking) => booking.row === row && booking.stands) : -1;
    if (made === undefined)
      moves.push({
        does: "the carrier books",
        act(next) {
          if (known < 0) next.bookings.push({ row, stands: true });
          next.calls[index]!.made = known < 0 ? next.bookings.length - 1 : known;
        },
      });
    // It was never executed, or no driver waits for its result.
    if (driver === undefined) moves.push({ does: "a call ends", act: (next) => next.calls.splice(index, 1) });
  }
  for (const [index, row] of state.rows.entries()) {
    if (row.leased)
      moves.push({ does: `the lease of row ${index} ends`, act: (next) => (next.rows[index]!.leased = false) });
    const mayCome =
      state.calls.some((call) => call.row === index) ||
      state.drivers.some((own) => own.row === index && own.at === "book");
    if (row.doubt === "open" && !mayCome)
      moves.push({
        does: `nothing comes for row ${index} any more`,
        act: (next) => (next.rows[index]!.doubt = "past"),
      });
  }
  for (const [who, { at, kind }] of state.drivers.entries()) {
    if (at === "away" || state.left.crashes === 0) continue;
    moves.push({
      does: `${kind} ${who} crashes`,
      act(next) {
        next.left.crashes--;
        leave(next.drivers[who]!);
        for (const call of next.calls) if (call.driver === who) call.driver = undefined;
      },
    });
  }
  for (const [key, { fence, hasResult }] of state.keys.entries()) {
    if (hasResult || state.left.fences === 0) continue;
    const claimed = Math.max(0, ...state.rows.filter((row) => row.key === key).map(({ token }) => token));
    if (claimed <= fence) continue;
    moves.push({
      does: `the claim of key ${key} ends`,
      act(next) {
        next.left.fences--;
        next.keys[key]!.fence = claimed;
      },
    });
  }
  return moves;
}
