import { once } from "node:events";
import net from "node:net";
import pg from "pg";
import { byOrdinal, microBatch, microBatchOperation } from "./micro-batch.js";

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const refusal = (code: string) => Object.assign(new pg.DatabaseError("refused", 1, "error"), { code });

describe("microBatch", () => {
  test("a single call runs at once", async () => {
    expect(await microBatch<number, number>({ run: async ([item]) => [item! * 2] })(4)).toBe(8);
  });

  test("a call shares its statement with calls from other sockets in the same turn of the event loop", async () => {
    const batches: string[][] = [];
    // With a quarter of 4, one call also starts the second statement, which has no calls left.
    const keep = microBatch<string, string>({
      max: 4,
      run: async (items) => {
        batches.push(items);
        return items;
      },
    });
    const server = net.createServer((socket) => {
      socket.on("data", (data) => void keep(String(data)).then((kept) => socket.end(kept)));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const clients: net.Socket[] = [];
    while (clients.length < 3) {
      clients.push(net.connect((server.address() as net.AddressInfo).port, "127.0.0.1"));
      await once(server, "connection");
    }
    for (const [at, client] of clients.entries()) client.write(`${at}`);
    const answers = await Promise.all(clients.map((client) => client.toArray()));
    expect(answers.map(String)).toEqual(["0", "1", "2"]);
    expect(batches.map((batch) => batch.sort())).toEqual([["0", "1", "2"]]);
    server.close();
  });

  test("calls that arrive while all statements are running share the next statement, in order and up to max", async () => {
    const batches: number[][] = [];
    const keep = microBatch<number, number>({
      max: 3,
      run: async (items) => {
        batches.push(items);
        await turns(3);
        return items;
      },
    });
    const first = keep(1);
    await turns(3);
    const others = [2, 3, 4, 5, 6].map(keep);
    expect(await Promise.all([first, ...others])).toEqual([1, 2, 3, 4, 5, 6]);
    expect(batches).toEqual([[1], [2, 3, 4], [5, 6]]);
  });

  /** Makes a batched call; the statement that contains item 0 hangs until it is released. */
  function hangingAtZero(patienceMs: number) {
    const batches: number[][] = [];
    let release = () => {};
    const hanging = new Promise<void>((resolve) => {
      release = resolve;
    });
    const run = async (items: number[]) => {
      batches.push(items);
      if (items.includes(0)) await hanging;
      return items;
    };
    return { batches, release, keep: microBatch<number, number>({ max: 8, patienceMs, run }) };
  }

  test("behind a slow statement, a second one starts when many calls wait, and no further one when they are answered", async () => {
    const { batches, release, keep } = hangingAtZero(60_000);
    const hung = keep(0);
    await turns(3);
    const waits = keep(1);
    await turns(3);
    expect(batches).toEqual([[0]]);
    await keep(2);
    const last = keep(3);
    await turns(3);
    expect(batches).toEqual([[0], [1, 2]]);
    release();
    expect(await Promise.all([hung, waits, last])).toEqual([0, 1, 3]);
    expect(batches).toEqual([[0], [1, 2], [3]]);
  });

  test("behind a statement that hangs, no call waits for long", async () => {
    const { batches, release, keep } = hangingAtZero(5);
    const hung = keep(0);
    await turns(3);
    expect(await keep(1)).toBe(1);
    expect(await Promise.all([2, 3].map(keep))).toEqual([2, 3]);
    release();
    expect(await hung).toBe(0);
    expect(batches).toEqual([[0], [1], [2, 3]]);
  });

  test("items of one key never share a statement, and those that arrived first come first", async () => {
    const batches: string[][] = [];
    const keep = microBatch<string, string>({
      concurrency: 1,
      max: 3,
      keyOf: (item) => item.charAt(0),
      run: async (items) => {
        batches.push(items);
        await turns(1);
        return items;
      },
    });
    await Promise.all(["x0", "a1", "a2", "b1", "a3", "b2"].map(keep));
    expect(batches).toEqual([["x0", "a1", "b1"], ["a2", "b2"], ["a3"]]);
  });

  test.each([
    ["breaks a constraint", "23505"],
    ["has a value that PostgreSQL cannot take", "22021"],
  ])("an item that %s fails alone", async (_what, code) => {
    let statements = 0;
    const insert = microBatch<number, string>({
      concurrency: 1,
      run: async (items) => {
        statements++;
        await turns(1);
        if (items.includes(13)) throw refusal(code);
        return items.map((item) => `stored ${item}`);
      },
    });
    const ends = await Promise.allSettled([1, 12, 13, 14].map(insert));
    expect(ends.map((end) => (end.status === "fulfilled" ? end.value : end.reason.code))).toEqual([
      "stored 1",
      "stored 12",
      code,
      "stored 14",
    ]);
    expect(statements).toBe(5);
  });

  test("a result that is still pending delays only its own call: the others get theirs, and the next statement starts", async () => {
    const read = microBatch<number, number>({
      concurrency: 1,
      run: async (items) => items.map(async (item) => (item === 13 ? Promise.reject(new Error("not read")) : item)),
    });
    const ends = await Promise.allSettled([1, 12, 13, 14].map(read));
    expect(ends.map((end) => end.status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  });

  test("a call that waits too long for a statement is certainly refused, and was never sent", async () => {
    const sent: number[] = [];
    let open = () => {};
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    const insert = microBatch<number, number>({
      concurrency: 1,
      waitMs: 20,
      run: async (items) => {
        sent.push(...items);
        await held;
        return items;
      },
    });
    const first = insert(1);
    await turns(3);
    const late = await Promise.allSettled([2, 3].map(insert));
    expect(late).toMatchObject([2, 3].map(() => ({ reason: { code: "service_unavailable" } })));
    open();
    expect(await first).toBe(1);
    expect(await insert(4)).toBe(4);
    expect(sent).toEqual([1, 4]);
  });

  test("an unknown outcome is unknown for every call of the statement, and the next calls continue", async () => {
    let broken = true;
    const insert = microBatch<number, number>({
      concurrency: 1,
      run: async (items) => {
        await turns(1);
        if (broken && items.length > 1) throw new Error("connection lost");
        return items;
      },
    });
    const ends = await Promise.allSettled([1, 2, 3].map(insert));
    expect(ends.map((end) => end.status)).toEqual(["rejected", "rejected", "rejected"]);
    broken = false;
    expect(await insert(4)).toBe(4);
  });
});

test("microBatchOperation joins the calls on the same deps and no others", async () => {
  const batches: string[] = [];
  const call = microBatchOperation<{ name: string }, number, number>({
    concurrency: 1,
    run: async ({ name }, items) => {
      batches.push(`${name} ${items}`);
      await turns(1);
      return items;
    },
  });
  const [a, b] = [{ name: "a" }, { name: "b" }];
  await Promise.all([call(a, 1), call(b, 2), call(a, 3), call(a, 4), call(b, 5)]);
  expect(batches).toEqual(["a 1,3,4", "b 2,5"]);
});

test("byOrdinal puts rows in the order of their items, and leaves the ordinal out", () => {
  const rows = [
    { ordinal: 3n, id: "c" },
    { ordinal: 1n, id: "a" },
  ];
  expect(byOrdinal(rows, 4)).toEqual([{ id: "a" }, undefined, { id: "c" }, undefined]);
});
