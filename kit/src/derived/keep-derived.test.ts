import { derivedWalk } from "../testing/derived-walk.js";
import type { DerivedRows, Difference } from "./derived-rows.js";

const one = (problem: Difference["problem"], id: string): Difference => ({
  problem,
  accountId: "acc_1",
  environment: "live",
  id,
});

/** A kind with pages of differences, by their place. A repair empties the page. */
function kindOf(kind: string, pages: Difference[][]) {
  const repaired: string[] = [];
  const rows: DerivedRows = {
    kind,
    async compare(after) {
      const at = Number(after ?? 0);
      const next = at + 1 < pages.length ? { next: String(at + 1) } : {};
      return { rows: 100, differences: [...pages[at]!], ...next };
    },
    async repair(found) {
      repaired.push(...found.map(({ id }) => id));
      for (const page of pages)
        for (const difference of found) if (page.includes(difference)) page.splice(page.indexOf(difference), 1);
    },
  };
  return { rows, repaired };
}

test("what is wrong twice is repaired and counted, page by page and kind by kind", async () => {
  const [orders, tracking] = [
    kindOf("orders", [[one("missing", "a")], [], [one("surplus", "b")]]),
    kindOf("tracking", [[one("stale", "c")]]),
  ];
  const walk = derivedWalk([orders.rows, tracking.rows]);
  await walk.steps(7);
  expect(orders.repaired).toEqual(["a", "b"]);
  expect(tracking.repaired).toEqual(["c"]);
  expect(walk.counts).toEqual({
    "derived_rows_compared_total orders": 300,
    "derived_rows_compared_total tracking": 100,
    "derived_rows_repaired_total orders": 2,
    "derived_rows_repaired_total tracking": 1,
  });
});

test("a row that is just being written is not called missing", async () => {
  const pages = [[one("missing", "a")]];
  const { rows, repaired } = kindOf("orders", pages);
  const walk = derivedWalk([rows]);
  await walk.steps(1);
  // It is written now, and another one begins.
  pages[0] = [one("missing", "b")];
  await walk.steps(1);
  expect(repaired).toEqual([]);
  expect(walk.counts["derived_rows_repaired_total orders"]).toBeUndefined();
});

test("what is lost is shown until a complete walk has not found it", async () => {
  const pages = [[one("lost", "a")]];
  const { rows, repaired } = kindOf("orders", pages);
  const walk = derivedWalk([rows]);
  await walk.steps(2);
  expect([repaired, await walk.lost()]).toEqual([[], 1]);
  await walk.steps(2);
  expect(await walk.lost()).toBe(1);
  pages[0] = [];
  await walk.steps(2);
  expect(await walk.lost()).toBe(0);
});

test("after a page it rests for 99 times as long as the page took, and goes on where it was after a failure", async () => {
  const { rows } = kindOf("orders", [[], []]);
  const compared: unknown[] = [];
  let fails = false;
  const slow: DerivedRows = {
    ...rows,
    async compare(after, limit) {
      walk.pass(50);
      compared.push(after);
      if (fails) throw new Error("away");
      return rows.compare(after, limit);
    },
  };
  const walk = derivedWalk([slow]);
  walk.pass(3_600_000);
  await walk.step();
  walk.pass(99 * 50 - 1);
  await walk.step();
  expect(compared).toEqual([undefined]);
  walk.pass(1);
  fails = true;
  await walk.step();
  fails = false;
  walk.pass(59_000);
  await walk.step();
  expect(compared).toEqual([undefined, "1"]);
  walk.pass(1_000);
  await walk.step();
  expect(compared).toEqual([undefined, "1", "1"]);
});

test("a kind that cannot be compared holds up the others for half an hour at most", async () => {
  const broken = kindOf("orders", [[]]);
  broken.rows.compare = () => Promise.reject(new Error("invalid byte sequence"));
  const tracking = kindOf("tracking", [[one("stale", "c")]]);
  const walk = derivedWalk([broken.rows, tracking.rows]);
  await walk.steps(30);
  expect(tracking.repaired).toEqual([]);
  await walk.steps(2);
  expect(tracking.repaired).toEqual(["c"]);
});
