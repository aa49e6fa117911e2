import { hostname } from "node:os";
import { createClient } from "@connectrpc/connect";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import fc from "fast-check";
import { register } from "prom-client";
import { microBatch } from "../postgres/micro-batch.js";
import { measureProcess } from "../process/health.js";
import { createLog, silentLog } from "../process/log.js";
import { resourceSettings, startTracing, traced, traceHeaders, traceparent } from "../process/tracing.js";
import { RELEASE } from "../release.js";
import { eventually } from "../testing/eventually.js";
import { otlpCollector } from "../testing/otlp-collector.js";
import { ledgerRoutes, readRequest } from "../testing/rpc-testbed.js";
import { secretTexts } from "../testing/secret-texts.js";
import { connectTo } from "./client.js";
import { serve } from "./server.js";

const log = silentLog();
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;

/** Does work while a collector listens, and returns every span of it. */
async function collecting(work: () => Promise<unknown>, settings: { ratio?: number } = {}) {
  return (await collectingAll(work, settings)).spans;
}

async function collectingAll(work: () => Promise<unknown>, settings: { ratio?: number } = {}) {
  const collector = await otlpCollector();
  const config = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: settings.ratio ?? 1 };
  const tracing = await startTracing({ part: "test", config, log });
  try {
    await work();
  } finally {
    await tracing.close();
    await collector.stop();
  }
  return collector;
}

test("without a collector, work runs untraced", async () => {
  const tracing = await startTracing({ part: "test", config: { OTEL_TRACES_SAMPLER_ARG: 1 }, log });
  const seen = await traced("request", { kind: "server" }, async () => traceparent());
  expect([seen, traceHeaders()]).toEqual(["", {}]);
  await tracing.close();
});

test("spans and target_info have the attributes of the environment, the instance and the pod; a log line within a span has its trace", async () => {
  const given = { OTEL_RESOURCE_ATTRIBUTES: "team=ship%2Cping, k8s.cluster.name=blue,", OTEL_SERVICE_NAME: "eu-test" };
  const env = { ...process.env, ...given, KUBERNETES_SERVICE_HOST: "10.0.0.1" };
  const restore = jest.replaceProperty(process, "env", env);
  const lines: string[] = [];
  const writing = createLog({ part: "test", destination: { write: (line) => void lines.push(line) } });
  const { spans, requests } = await collectingAll(async () => {
    await traced("request", { kind: "server" }, async () => writing.info("within"));
    writing.info("outside");
  });
  measureProcess("test");
  const target = await register.getSingleMetricAsString("target_info");
  register.clear();
  restore.restore();
  const attributes = { team: "ship,ping", "k8s.cluster.name": "blue", "k8s.pod.name": hostname() };
  const own = { "service.namespace": "shipping", "service.instance.id": `${hostname()}:${process.pid}` };
  expect(spans.map(({ part }) => part)).toEqual(["eu-test"]);
  for (const [name, value] of Object.entries({ ...attributes, ...own })) {
    expect(Buffer.concat(requests).includes(name) && Buffer.concat(requests).includes(value)).toBe(true);
    expect(target).toContain(`${name.replaceAll(".", "_")}="${value}"`);
  }
  const [within, outside] = lines.map((line) => JSON.parse(line));
  expect([within.trace_id, within.span_id]).toEqual([spans[0]?.traceId, spans[0]?.spanId]);
  expect(outside.trace_id).toBeUndefined();
});

test.each([
  ["a=b,c=d%2Ce", true],
  ["a=b, c=d ,", true],
  ["a=b=c", true],
  ["a=", true],
  ["a", false],
  ["=b", false],
  ["a b=c", false],
  ["a=100%", false],
])("attributes of a process are name=value, separated by commas: %j is accepted: %j", (text, accepted) => {
  expect(resourceSettings.OTEL_RESOURCE_ATTRIBUTES.safeParse(text).success).toBe(accepted);
});

test("a call continues the caller's trace on the other side, also in its log line", async () => {
  let inside = "";
  const lines: string[] = [];
  const observed = createLog({ part: "test", destination: { write: (line) => void lines.push(line) } });
  const spans = await collecting(async () => {
    const routes = ledgerRoutes(() => {
      inside = traceparent();
    });
    const server = await serve({ routes, port: 0, host: "127.0.0.1", log: observed });
    const transport = connectTo({ urls: `http://127.0.0.1:${server.port}`, log });
    const client = createClient(LedgerService, transport);
    await traced("request", { kind: "server" }, () => client.read(readRequest()));
    await transport.close();
    await server.stop(0);
  });
  const [root] = spans.filter(({ parentId }) => parentId === "");
  const [calling] = spans.filter(({ parentId }) => parentId === root?.spanId);
  const [serving] = spans.filter(({ parentId }) => parentId === calling?.spanId);
  expect([root?.name, calling?.name, serving?.name]).toEqual(["request", "LedgerService/Read", "LedgerService/Read"]);
  expect(TRACEPARENT.exec(inside)?.slice(1)).toEqual([root?.traceId, serving?.spanId]);
  const line = JSON.parse(lines.find((text) => text.includes('"msg":"rpc"')) ?? "{}");
  expect([line.trace_id, line.span_id]).toEqual([root?.traceId, serving?.spanId]);
  expect([root?.part, root?.release]).toEqual(["test", RELEASE]);
});

test("a span hides every key and secret in its name and attributes, whatever stands beside it", async () => {
  const samples = fc.sample(secretTexts, 50);
  const { spans, requests } = await collectingAll(async () => {
    for (const { text } of samples)
      await traced(text, { kind: "server", attributes: { a: text } }, async (span) => {
        span.set({ b: text });
        span.rename(text);
      });
  });
  expect(spans).toHaveLength(samples.length);
  const sent = Buffer.concat(requests).toString("latin1");
  for (const { hidden } of samples) expect(sent).not.toContain(hidden);
});

test("work without a cause is not traced: a worker's statements begin no traces", async () => {
  const seen: string[] = [];
  const spans = await collecting(async () => {
    const look = async () => void seen.push(traceparent());
    await traced("sql", { kind: "client" }, look);
    await traced("request", { kind: "server" }, () => traced("attempt", { kind: "client", parent: "" }, look));
  });
  expect(seen).toEqual(["", ""]);
  expect(spans.map(({ name }) => name)).toEqual(["request"]);
});

test("a statement that calls share belongs to the first call's trace, linked to the others'", async () => {
  const seen: string[] = [];
  const run = async (items: string[]) => {
    await traced("sql", { kind: "client" }, async () => void seen.push(items.join("+")));
    return items;
  };
  const spans = await collecting(async () => {
    const joined = microBatch({ concurrency: 1, run });
    const call = (item: string) => traced(item, { kind: "server" }, () => joined(item));
    await call("a");
    await Promise.all(["b", "c"].map(call));
  });
  expect(seen).toEqual(["a", "b+c"]);
  const of = (name: string) => spans.filter((span) => span.name === name);
  const [shared] = of("shared");
  expect(shared).toMatchObject({ parentId: of("b")[0]?.spanId, links: [of("c")[0]?.spanId] });
  expect(of("sql").map(({ parentId }) => parentId)).toEqual([of("a")[0]?.spanId, shared?.spanId]);
});

test("a request outside the traced share has no spans at all, and its error is thrown on", async () => {
  const failing = () => Promise.reject(new Error("broken"));
  const nested = () => traced("request", { kind: "server" }, () => traced("sql", { kind: "client" }, failing));
  const outcome = async () => void (await expect(nested()).rejects.toThrow("broken"));
  expect(await collecting(outcome, { ratio: 0 })).toEqual([]);
  expect(await collecting(outcome)).toHaveLength(2);
});

test("a collector that cannot be reached is logged once, in one line that says why", async () => {
  const lines: string[] = [];
  const gone = await otlpCollector();
  await gone.stop();
  const tracing = await startTracing({
    part: "test",
    config: { OTEL_EXPORTER_OTLP_ENDPOINT: gone.url, OTEL_TRACES_SAMPLER_ARG: 1 },
    log: createLog({ part: "test", destination: { write: (line) => void lines.push(line) } }),
  });
  const request = () => traced("request", { kind: "server" }, async () => {});
  await request();
  await eventually(async () => expect(lines).toHaveLength(1));
  await request();
  await tracing.close();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      msg: "spans not exported",
      reason: expect.stringMatching(/^connect ECONNREFUSED [\d.:]+$/),
    }),
  ]);
});
