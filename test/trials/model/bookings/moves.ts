import type { Rules } from "./rules.js";
import { type Driver, leave, type Move, type Row, type State } from "./state.js";

/** All possible next moves of a driver. */
export function movesOf(state: State, who: number, rules: Rules, takesKeys: boolean): Move[] {
  const driver = state.drivers[who]!;
  const { kind, at } = driver;
  const row = state.rows[driver.row];
  const move = (does: string, act: (own: Driver, row: Row, state: State) => void): Move => ({
    does: `${kind} ${who}: ${does}`,
    act(next) {
      act(next.drivers[who]!, next.rows[next.drivers[who]!.row]!, next);
    },
  });
  const isMine = (own: Row) => own.owner === who;
  const letGo = (own: Driver, held: Row) => {
    if (isMine(held)) held.leased = false;
    leave(own);
  };
  const take = (own: Driver, index: number, held: Row, next: Driver["at"]) => {
    Object.assign(own, { row: index, isFresh: false, wasInDoubt: held.doubt === "open", at: next, told: [] });
    Object.assign(held, { owner: who, leased: true, due: true });
  };
  const end = (held: Row) => isMine(held) && Object.assign(held, { state: "over", doubt: "none", due: false });
  const drop = (held: Row, token: number) => {
    if (held.state === "asked" && held.token !== token) return;
    if (held.state === "asked") held.state = "cancelling";
    Object.assign(held, { due: true, leased: false });
  };
  const standing = (of: number) =>
    state.bookings.flatMap(({ row: under, stands }, index) => (stands && under === of ? [index] : []));

  function opening(): Move[] {
    const { fence, hasResult } = state.keys[driver.key]!;
    if (state.label || hasResult) return [move("is answered", leave)];
    const open = state.rows.findIndex(
      ({ state: is, key }) => is === "asked" && (rules.oneForShipment || key === driver.key),
    );
    const held = state.rows[open];
    if (!held) {
      if (state.rows.length === 3) return [move("gives up", leave)];
      return [
        move("stores the booking", (own, _, next) => {
          const token = fence + 1;
          const written = rules.writesFirst ? "asked" : "unwritten";
          const fresh = {
            key: own.key,
            token,
            owner: who,
            leased: true,
            doubt: "open" as const,
            due: rules.writesFirst,
          };
          next.rows.push({ ...fresh, state: written, has: undefined });
          Object.assign(own, { at: "book", row: next.rows.length - 1, token, isFresh: true, wasInDoubt: false });
        }),
      ];
    }
    const away = [move("gives up", leave)];
    if (held.leased || held.key !== driver.key) return away;
    return [
      ...away,
      move("takes a booking over", (own, _, next) => {
        const taken = next.rows[open]!;
        take(own, open, taken, rules.asksFirst ? "find" : "book");
        if (!rules.asksFirst) taken.doubt = "open";
        own.token = fence + 1;
        taken.token = Math.max(taken.token, own.token);
      }),
    ];
  }

  function finding(): Move[] {
    const told = standing(driver.row);
    const failed = move("cannot ask", (own, held) => {
      if (!rules.searchSaysNothing && kind === "label") end(held);
      letGo(own, held);
    });
    if (kind === "worker" && row?.state !== "asked")
      return [
        failed,
        move("asks", (own) =>
          Object.assign(own, {
            at: "clean",
            told: told.filter((one) => one !== row?.has || row.state === "cancelling" || row.state === "over"),
          }),
        ),
      ];
    if (told.length > 0)
      return [failed, move("finds", (own) => Object.assign(own, { at: "record", told: told.slice(0, 1) }))];
    if (kind === "worker")
      return [
        failed,
        move("finds nothing", (own, held) => {
          if (!own.wasInDoubt) end(held);
          letGo(own, held);
        }),
      ];
    if (at === "ask again" || (driver.wasInDoubt && !takesKeys && rules.waitsOutDoubt))
      return [failed, move("finds nothing, and waits", letGo)];
    return [
      failed,
      move("finds nothing, and notes that it calls", (own, held) => {
        if (isMine(held) && held.state === "asked")
          Object.assign(Object.assign(own, { at: "book" }) && held, {
            doubt: rules.notesCalls ? "open" : held.doubt,
            leased: true,
          });
        else leave(own);
      }),
    ];
  }

  function recording(): Move[] {
    return [
      move("records", (own, held, next) => {
        const token = kind === "worker" ? held.token : own.token;
        const key = next.keys[held.key]!;
        const isFenced = key.fence >= token;
        const isOver = (rules.recordsUnderClaim && isFenced) || key.hasResult;
        const isAsked = held.state === "asked" || held.state === "unwritten";
        if (!isOver && isAsked && !next.label) {
          next.label = { booking: own.told[0]!, row: own.row, voided: false, isStale: isFenced };
          key.hasResult = true;
          const isSettled = own.isFresh && isMine(held);
          Object.assign(held, {
            state: "held",
            has: own.told[0],
            leased: false,
            doubt: isSettled ? "none" : held.doubt,
          });
          held.due = held.doubt !== "none";
          leave(own);
        } else if (isOver && kind === "label" && !key.hasResult) letGo(own, held);
        else {
          drop(held, token);
          leave(own);
        }
      }),
    ];
  }

  function cancelling(): Move[] {
    const target = kind === "worker" && at === "clean" ? driver.told[0] : row?.has;
    const cancel = (next: State) => target !== undefined && Object.assign(next.bookings[target]!, { stands: false });
    const said = (own: Driver) => (at === "clean" ? own.told.shift() : Object.assign(own, { at: "cancelled" }));
    const unheard = (own: Driver, held: Row) => (rules.cancelsUntilConfirmed ? letGo(own, held) : said(own));
    return [
      move("cancels", (own, _, next) => [cancel(next), said(own)]),
      move("cancels, and the answer is lost", (own, held, next) => [cancel(next), unheard(own, held)]),
      move("cannot cancel", unheard),
    ];
  }

  function cleaning(): Move[] {
    if (driver.told.length > 0) return cancelling();
    return [
      move("notes that nothing stands that should not", (own, held) => {
        if (isMine(held) && (!own.wasInDoubt || !rules.looksAgain)) {
          Object.assign(held, { due: false, doubt: "none", state: held.state === "cancelling" ? "over" : held.state });
        }
        letGo(own, held);
      }),
    ];
  }

  const recordsVoid = (next: Driver["at"] | undefined) =>
    move("records the void", (own, held, all) => {
      if (all.label && !all.label.voided) {
        all.label.voided = true;
        if (held.state === "voiding" || held.state === "held")
          Object.assign(held, { state: "over", due: held.doubt !== "none", leased: false });
      }
      if (next) own.at = next;
      else letGo(own, held);
    });

  switch (at) {
    case "away": {
      if (kind === "label")
        return state.left.requests > 0
          ? [move("comes", (own, _, next) => [next.left.requests--, Object.assign(own, { at: "open" })])]
          : [];
      if (kind === "worker")
        return state.rows.flatMap(({ due, leased, state: is }, index) =>
          due && !leased && is !== "unwritten"
            ? [
                move("takes a due booking", (own, _, next) =>
                  take(own, index, next.rows[index]!, is === "voiding" ? "cancel" : "find"),
                ),
              ]
            : [],
        );
      const index = state.rows.findIndex(({ state: is, leased }) => !leased && (is === "held" || is === "voiding"));
      if (state.left.voids === 0 || index < 0) return [];
      return [
        move("writes a void down", (own, _, next) => {
          next.left.voids--;
          const held = next.rows[index]!;
          const { due } = held;
          take(own, index, held, rules.voidsAfterCancel ? "cancel" : "cancelled");
          if (rules.writesVoidFirst) held.state = "voiding";
          else held.due = due;
        }),
      ];
    }
    case "open":
      return opening();
    case "find":
    case "ask again":
      return finding();
    case "book":
      return [
        move("calls", (own, _, next) => [
          next.calls.push({ row: own.row, driver: who, made: undefined }),
          Object.assign(own, { at: "wait" }),
        ]),
      ];
    case "wait": {
      const index = state.calls.findIndex((call) => call.driver === who);
      const made = state.calls[index]?.made;
      const lost = move("gets no answer", (own, held, next) => {
        next.calls[index]!.driver = undefined;
        own.at = "ask again";
        if (rules.keepsDoubt) return;
        end(held);
        leave(own);
      });
      if (made === undefined) return [lost];
      return [
        lost,
        move("is answered", (own, _, next) => [
          next.calls.splice(index, 1),
          Object.assign(own, { at: "record", told: [made] }),
        ]),
      ];
    }
    case "record":
      return recording();
    case "cancel":
      return cancelling();
    case "cancelled":
      return rules.voidsAfterCancel || kind === "worker" ? [recordsVoid(undefined)] : [recordsVoid("cancel")];
    case "clean":
      return cleaning();
  }
}
