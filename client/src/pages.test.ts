import { errorOf, type Loopback, loopback, page, type Responder, refusal, respondWith } from "./testing/loopback.js";

let server: Loopback;
const serve = async (...responders: Responder[]) => {
  server = await loopback(...responders);
  return server.client().labels;
};
afterEach(() => server[Symbol.asyncDispose]());

const labels = (...ids: string[]) => ids.map((id) => ({ id }));
const paths = () => server.seen.map(({ path }) => path?.slice("/api/v1".length));

async function all(list: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

describe("a list", () => {
  test("is read to its end, an empty page in between goes on", async () => {
    const resource = await serve(page(labels("a", "b"), "b"), page([], "c"), page(labels("d"), null));
    expect(await all(resource.list({ limit: 2 }))).toEqual(["a", "b", "d"]);
    expect(paths()).toEqual(["/labels?limit=2", "/labels?limit=2&after=b", "/labels?limit=2&after=c"]);
  });

  test("requests no page before it is read, and no page that is not needed", async () => {
    const resource = await serve(page(labels("a", "b"), "b"));
    const list = resource.list();
    expect(server.seen).toEqual([]);
    for await (const label of list) {
      expect(label.id).toBe("a");
      break;
    }
    expect(paths()).toEqual(["/labels"]);
  });

  test("can be read again", async () => {
    const resource = await serve(page(labels("a"), null));
    const list = resource.list({ after: "_" });
    expect([await all(list), await all(list)]).toEqual([["a"], ["a"]]);
    expect(paths()).toEqual(["/labels?after=_", "/labels?after=_"]);
  });

  test.each([
    ["the same cursor twice", ["a", "a"]],
    ["cursors that go round", ["a", "b", "a"]],
    ["the cursor that it began with", ["_"]],
  ])("%s throws instead of repeating indefinitely", async (_name, cursors) => {
    const resource = await serve(...cursors.map((cursor) => page(labels(cursor), cursor)));
    expect(await errorOf(all(resource.list({ after: "_" })))).toMatchObject({
      code: "unexpected_answer",
      message: expect.stringContaining("repeats itself"),
    });
    expect(server.seen).toHaveLength(cursors.length);
  });

  test("retries a page, not the list", async () => {
    const resource = await serve(
      page(labels("a"), "a"),
      refusal(503, "service_unavailable"),
      respondWith(200, "application/json", '{"data":[{"id":"b"}'),
      page(labels("b"), null),
    );
    expect(await all(resource.list())).toEqual(["a", "b"]);
    expect(paths()).toEqual(["/labels", "/labels?after=a", "/labels?after=a", "/labels?after=a"]);
  });
});

describe("one page", () => {
  test.each(['{"data":[]}', '{"data":[],"next_cursor":7}', '{"data":{},"next_cursor":null}'])(
    "is what has records, and a cursor or none: not %s",
    async (body) => {
      server = await loopback(respondWith(200, "application/json", body));
      const call = server.client({ maxRetries: 0 }).labels.list().page();
      expect(await errorOf(call)).toMatchObject({ code: "unexpected_answer" });
    },
  );

  test("has its data and its cursor", async () => {
    const resource = await serve(page(labels("b"), "b"));
    const { data, response } = await resource.list({ limit: 5 }).page({ after: "a" }).withResponse();
    expect(data).toEqual({ data: labels("b"), next_cursor: "b" });
    expect(response).toMatchObject({ status: 200, replayed: false, idempotencyKey: undefined });
    expect(paths()).toEqual(["/labels?limit=5&after=a"]);
  });
});

describe("toArray", () => {
  test("holds all records of a list that has fewer than max", async () => {
    const resource = await serve(page(labels("a", "b"), "b"), page([], "c"), page(labels("d"), null));
    expect(await resource.list().toArray({ max: 10_000 })).toEqual(labels("a", "b", "d"));
    expect(paths()).toEqual(["/labels?limit=100", "/labels?limit=100&after=b", "/labels?limit=100&after=c"]);
  });

  test("ends at max, and asks for no page beyond it", async () => {
    const resource = await serve(page(labels("a", "b"), "b"), page(labels("c", "d"), "d"));
    expect(await resource.list({ limit: 2, after: "_" }).toArray({ max: 3 })).toEqual(labels("a", "b", "c"));
    expect(paths()).toEqual(["/labels?limit=2&after=_", "/labels?limit=2&after=b"]);
  });

  test("asks for no more records than it holds, with the options of its list", async () => {
    const resource = await serve(page(labels("a", "b"), "b"));
    expect(await resource.list({ headers: { "x-job": "7" } }).toArray({ max: 2 })).toEqual(labels("a", "b"));
    expect(paths()).toEqual(["/labels?limit=2"]);
    expect(server.seen[0]?.headers["x-job"]).toBe("7");
  });

  test("is refused without a bound", async () => {
    const resource = await serve(page(labels("a"), null));
    for (const max of [undefined, 0, -1, 1.5, Number.POSITIVE_INFINITY, "5"]) {
      const error = await errorOf(resource.list().toArray({ max: max as number }));
      expect(error).toMatchObject({ code: "invalid_argument", message: expect.stringContaining("max") });
    }
    expect(await errorOf(resource.list().toArray(undefined as never))).toMatchObject({ code: "invalid_argument" });
    expect(server.seen).toEqual([]);
  });
});
