import pg from "pg";
import { coalesce } from "./coalesce.js";

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const constraintError = () =>
  Object.assign(new pg.DatabaseError("taken", 1, "error"), { code: "23505", constraint: "c" });

describe("coalesce", () => {
  test("a lone call is run at once and alone", async () => {
    const batches: number[][] = [];
    const double = coalesce<number, number>({
      run: async (items) => {
        batches.push(items);
        return items.map((item) => item * 2);
      },
    });
    expect(await double(4)).toBe(8);
    expect(batches).toEqual([[4]]);
  });

  test("calls that come while all lanes are busy share the next statement, in order and up to max", async () => {
    const batches: number[][] = [];
    const keep = coalesce<number, number>({
      lanes: 2,
      max: 3,
      run: async (items) => {
        batches.push(items);
        await turns(3);
        return items;
      },
    });
    expect(await Promise.all([1, 2, 3, 4, 5, 6].map(keep))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(batches).toEqual([[1], [2], [3, 4, 5], [6]]);
  });

  test("items of one key never share a statement", async () => {
    const batches: string[][] = [];
    const keep = coalesce<string, string>({
      lanes: 1,
      keyOf: (item) => item.charAt(0),
      run: async (items) => {
        batches.push(items);
        await turns(1);
        return items;
      },
    });
    await Promise.all(["x0", "a1", "a2", "b1", "a3", "b2"].map(keep));
    expect(batches).toEqual([["x0"], ["a1", "b1"], ["a2", "b2"], ["a3"]]);
  });

  test("an item that breaks a constraint fails alone", async () => {
    let statements = 0;
    const insert = coalesce<number, string>({
      lanes: 1,
      run: async (items) => {
        statements++;
        await turns(1);
        if (items.includes(13)) throw constraintError();
        return items.map((item) => `stored ${item}`);
      },
    });
    const ends = await Promise.allSettled([1, 12, 13, 14].map(insert));
    expect(ends.map((end) => (end.status === "fulfilled" ? end.value : end.reason.code))).toEqual([
      "stored 1",
      "stored 12",
      "23505",
      "stored 14",
    ]);
    expect(statements).toBe(5);
  });

  test("an unknown end is unknown for every call of the statement, and the next ones go on", async () => {
    let broken = true;
    const insert = coalesce<number, number>({
      lanes: 1,
      run: async (items) => {
        await turns(1);
        if (broken && items.length > 1) throw new Error("connection lost");
        return items;
      },
    });
    const ends = await Promise.allSettled([1, 2, 3].map(insert));
    expect(ends.map((end) => end.status)).toEqual(["fulfilled", "rejected", "rejected"]);
    broken = false;
    expect(await insert(4)).toBe(4);
  });
});
