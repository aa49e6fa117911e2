import { serveOps } from "./health.js";
import { silentLog } from "./log.js";
import { createMetrics, type Metrics } from "./metrics.js";

let ops: Awaited<ReturnType<typeof serveOps>>;
let missing: string | undefined;
const metrics: Metrics[] = [];
beforeAll(async () => {
  const ready = async () => missing;
  ops = await serveOps({ port: 0, host: "127.0.0.1", log: silentLog(), ready, metrics: () => metrics });
});
afterAll(() => ops.stop());

async function get(path: string) {
  const response = await fetch(`http://127.0.0.1:${ops.port}${path}`);
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

test("/readyz names the missing dependency", async () => {
  missing = "database not reachable";
  expect(await get("/readyz")).toMatchObject({ status: 503, text: "database not reachable" });
  missing = undefined;
  expect(await get("/readyz")).toMatchObject({ status: 200, text: "ready" });
  expect(await get("/livez?now")).toMatchObject({ status: 200 });
  expect(await get("/")).toMatchObject({ status: 404 });
});

test.each(["/livez", "/readyz", "/metrics", "/"])("HEAD %s is GET without the body", async (path) => {
  const send = (method: string) => fetch(`http://127.0.0.1:${ops.port}${path}`, { method });
  const [head, get] = [await send("HEAD"), await send("GET")];
  const text = await get.text();
  expect([head.status, head.headers.get("content-type")]).toEqual([get.status, get.headers.get("content-type")]);
  expect([await head.text(), get.headers.get("content-length")]).toEqual(["", String(Buffer.byteLength(text))]);
  expect(Number(head.headers.get("content-length"))).toBeGreaterThan(0);
});

test("/metrics shows those of the parts as soon as they have any, of one name under one heading, as the format requires", async () => {
  expect(await get("/metrics")).toMatchObject({ status: 200, type: expect.stringContaining("text/plain; version=") });
  for (const part of ["one", "two"]) {
    metrics.push(createMetrics({ part, log: silentLog() }));
    metrics.at(-1)?.counter("same_total", "The same.")();
    metrics.at(-1)?.counter(`of_${part}_total`, "Its own.")();
  }
  const { text } = await get("/metrics");
  expect(text.match(/^# TYPE same_total counter$/gm)).toHaveLength(1);
  expect(text).toContain('same_total{part="one"} 1\nsame_total{part="two"} 1\n');
  expect(text).toContain('of_two_total{part="two"} 1\n');
});
