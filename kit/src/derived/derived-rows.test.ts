import { checkDerived, type DerivedRows } from "./derived-rows.js";

/** A kind with this many pages, each with one difference that is lost and one that is not. */
function kindOf(kind: string, pages: number) {
  const repaired: string[] = [];
  const about = { accountId: "acc_1", environment: "live" };
  const rows: DerivedRows = {
    kind,
    async compare(after) {
      const at = Number(after ?? 0);
      const differences = (["lost", "missing"] as const).map((problem) => ({ ...about, problem, id: `${kind}${at}` }));
      return { rows: 10, differences, ...(at + 1 < pages && { next: String(at + 1) }) };
    },
    repair: async (found) => void repaired.push(...found.map(({ problem, id }) => `${problem} ${id}`)),
  };
  return { rows, repaired };
}

async function walk(all: readonly DerivedRows[], repair: boolean): Promise<string[]> {
  const kinds: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await checkDerived(all, { cursor, repair, limit: 10 });
    kinds.push(page.kind);
    cursor = page.nextCursor;
    if (cursor === undefined) return kinds;
  }
}

test("the pages of all kinds follow each other; only if asked to, what can be repaired is", async () => {
  const [one, other] = [kindOf("one", 2), kindOf("other", 1)];
  const all = [one.rows, other.rows];
  expect(await walk(all, false)).toEqual(["one", "one", "other"]);
  expect([one.repaired, other.repaired]).toEqual([[], []]);
  await walk(all, true);
  expect([one.repaired, other.repaired]).toEqual([["missing one0", "missing one1"], ["missing other0"]]);
});

test("an owner of no derived rows has one empty page, and an unknown cursor is refused", async () => {
  expect(await walk([], true)).toEqual([""]);
  const unknown = { cursor: "third\n1", repair: false, limit: 10 };
  await expect(checkDerived([kindOf("one", 1).rows], unknown)).rejects.toThrow(
    "cursor must be the next_cursor of a page",
  );
});
