import { createHeavyPlaces } from "./heavy-places.js";

const LONG_MS = 60_000;
const stays = () => new AbortController().signal;

/** The cause of the 503 with which a page gives up waiting. */
const causeOf = (page: Promise<unknown>) =>
  page.then(
    () => "none",
    ({ code, reason }) => `${code} ${reason}`,
  );

/** Acquires places in this order, and notes who has got one. */
function visitors(places: ReturnType<typeof createHeavyPlaces>) {
  const made: string[] = [];
  const acquire = (name: string, accountId = name) =>
    places.acquire({ accountId, signal: stays() }).then((release) => {
      made.push(name);
      return release;
    });
  return { made, acquire };
}

test("pages beyond the total wait, and are made in the order of their arrival", async () => {
  const places = createHeavyPlaces({ total: 2, perAccount: 2, waitMs: LONG_MS });
  const { made, acquire } = visitors(places);
  const [first, second] = await Promise.all([acquire("a"), acquire("b")]);
  const [third, fourth] = [acquire("c"), acquire("d")];
  expect([made, places.waiting()]).toEqual([["a", "b"], 2]);
  first();
  (await third)();
  second();
  (await fourth)();
  expect([made, places.waiting()]).toEqual([["a", "b", "c", "d"], 0]);
});

test("an account with all its places taken lets the pages of others pass", async () => {
  const places = createHeavyPlaces({ total: 3, perAccount: 2, waitMs: LONG_MS });
  const { made, acquire } = visitors(places);
  const [first] = await Promise.all([acquire("a1", "a"), acquire("a2", "a")]);
  const third = acquire("a3", "a");
  await acquire("b");
  expect(made).toEqual(["a1", "a2", "b"]);
  first();
  await third;
  expect(made).toEqual(["a1", "a2", "b", "a3"]);
});

test("a page gives up after the longest wait, or at its own deadline, and the cause says whose limit it was", async () => {
  const places = createHeavyPlaces({ total: 2, perAccount: 1, waitMs: 5 });
  const { acquire } = visitors(places);
  await acquire("a");
  const own = places.acquire({ accountId: "a", deadline: performance.now() - 1, signal: stays() });
  expect(await causeOf(own)).toBe("service_unavailable account_queue");
  await acquire("b");
  expect(await causeOf(acquire("c"))).toBe("service_unavailable portal_queue");
  expect(places.waiting()).toBe(0);
});

test("a page whose client goes gives up, and its place in the queue is free", async () => {
  const places = createHeavyPlaces({ total: 1, perAccount: 1, waitMs: LONG_MS });
  const { made, acquire } = visitors(places);
  const release = await acquire("a");
  const client = new AbortController();
  const gone = causeOf(places.acquire({ accountId: "b", signal: client.signal }));
  client.abort();
  expect(await gone).toBe("service_unavailable portal_queue");
  expect(await causeOf(places.acquire({ accountId: "b", signal: client.signal }))).toMatch(/portal_queue/);
  const next = acquire("c");
  release();
  await next;
  expect(made).toEqual(["a", "c"]);
});
