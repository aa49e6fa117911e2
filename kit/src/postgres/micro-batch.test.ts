import { once } from "node:events";
import net from "node:net";
import pg from "pg";
import { byOrdinal, type MicroBatch, microBatch, microBatchOperation } from "./micro-batch.js";

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Makes batched calls whose results are their items, and records the batches. */
function recording<Item>(options: Partial<MicroBatch<Item, Item>>, answered = (_items: Item[]) => turns(1)) {
  const batches: Item[][] = [];
  const run = async (items: Item[]) => {
    batches.push(items);
    await answered(items);
    return items;
  };
  return { batches, keep: microBatch<Item, Item>({ ...options, run }) };
}

/** Makes batched calls; the statement that contains item 0 hangs until it is released. */
function hangingAtZero(options: Partial<MicroBatch<number, number>>) {
  let release = () => {};
  const hanging = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { release, ...recording<number>(options, async (items) => (items.includes(0) ? hanging : undefined)) };
}

describe("microBatch", () => {
  test("a call shares its statement with calls from other sockets in the same turn of the event loop", async () => {
    // A quarter of 4 is one call, so it also starts the second statement, which has no calls left.
    const { batches, keep } = recording<string>({ max: 4 });
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

  test("a call shares its statement with calls that arrive in the next turn, too", async () => {
    const { batches, keep } = recording<number>({});
    const first = keep(1);
    await turns(1);
    expect(await Promise.all([first, keep(2)])).toEqual([1, 2]);
    expect(batches).toEqual([[1, 2]]);
  });

  test("calls that arrive while all statements are running share the next statement, in order and up to max", async () => {
    const { batches, keep } = recording<number>({ max: 3 }, () => turns(3));
    const first = keep(1);
    await turns(3);
    const others = [2, 3, 4, 5, 6].map(keep);
    expect(await Promise.all([first, ...others])).toEqual([1, 2, 3, 4, 5, 6]);
    expect(batches).toEqual([[1], [2, 3, 4], [5, 6]]);
  });

  test("behind a slow statement, a second one starts when many calls wait, and no further one when they are answered", async () => {
    const { batches, release, keep } = hangingAtZero({ max: 8, patienceMs: 60_000 });
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
    const { batches, release, keep } = hangingAtZero({ max: 8, patienceMs: 5 });
    const hung = keep(0);
    await turns(3);
    expect(await keep(1)).toBe(1);
    expect(await Promise.all([2, 3].map(keep))).toEqual([2, 3]);
    release();
    expect(await hung).toBe(0);
    expect(batches).toEqual([[0], [1], [2, 3]]);
  });

  test("items of one key never share a statement, and those that arrived first come first", async () => {
    const { batches, keep } = recording<string>({ concurrency: 1, max: 3, keyOf: (item) => item.charAt(0) });
    await Promise.all(["x0", "a1", "a2", "b1", "a3", "b2"].map(keep));
    expect(batches).toEqual([["x0", "a1", "b1"], ["a2", "b2"], ["a3"]]);
  });

  test("an item that PostgreSQL refuses fails alone", async () => {
    const refusal = Object.assign(new pg.DatabaseError("refused", 1, "error"), { code: "23505" });
    const { batches, keep } = recording<number>({ concurrency: 1 }, async (items) => {
      if (items.includes(13)) throw refusal;
    });
    const ends = await Promise.allSettled([1, 12, 13, 14].map(keep));
    expect(ends).toMatchObject([{ value: 1 }, { value: 12 }, { reason: refusal }, { value: 14 }]);
    expect(batches).toEqual([[1, 12, 13, 14], [1], [12], [13], [14]]);
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
    const { batches, release, keep } = hangingAtZero({ concurrency: 1, waitMs: 20 });
    const first = keep(0);
    await turns(3);
    const late = await Promise.allSettled([2, 3].map(keep));
    expect(late).toMatchObject([2, 3].map(() => ({ reason: { code: "service_unavailable" } })));
    release();
    expect(await first).toBe(0);
    expect(await keep(4)).toBe(4);
    expect(batches).toEqual([[0], [4]]);
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
