import { setTimeout as pause } from "node:timers/promises";
import { startReceiver } from "./testing/receiver.js";
import { dispatchOnce } from "./dispatch-deliveries.js";
import sql from "sql-template-tag";
import { eventFor, newCaller, subscribe, webhooksUnderTest } from "./testing/webhooks-under-test.js";
const pct = (a: number[], p: number) => [...a].sort((x, y) => x - y)[Math.floor(a.length * p)]!.toFixed(2);
test("latency", async () => {
  const w = await webhooksUnderTest();
  const { bus } = await w.running({ config: { MAX_ATTEMPTS_IN_FLIGHT: 256 } });
  const deps = w.replica();
  const sent = new Map<string, number>();
  const lat: number[] = [];
  const r = await startReceiver((res, rec) => { lat.push(rec.at - sent.get(String(rec.headers["service-event-id"]))!); res.writeHead(204).end(); });
  const callers = Array.from({ length: 20 }, () => newCaller());
  for (const c of callers) await subscribe(deps, c, r.url);
  const out: string[] = [];
  for (const [rate, secs] of [[200, 5], [200, 10], [500, 5]] as const) {
    lat.length = 0;
    const cpu = process.cpuUsage();
    const start = performance.now();
    for (let n = 0; n < rate * secs; n++) {
      const due = start + (n * 1000) / rate;
      if (performance.now() < due) await pause(Math.max(0, due - performance.now()));
      const e = eventFor(callers[n % 20]!);
      sent.set(e.id, performance.now());
      void bus.publish(e);
    }
    await pause(1500);
    const c = process.cpuUsage(cpu);
    out.push(`${rate}/s: n=${lat.length} p50 ${pct(lat, 0.5)} p95 ${pct(lat, 0.95)} p99 ${pct(lat, 0.99)} cpu/evt ${((c.user + c.system) / 1000 / lat.length).toFixed(2)}ms`);
  }
  // burst
  lat.length = 0;
  const t = performance.now();
  const events = Array.from({ length: 5000 }, (_, n) => eventFor(callers[n % 20]!));
  for (const e of events) sent.set(e.id, performance.now());
  await Promise.all(events.map((e) => bus.publish(e)));
  const accepted = performance.now() - t;
  while (lat.length < 5000 && performance.now() - t < 60000) await pause(10);
  out.push(`burst 5000: accepted ${accepted.toFixed(0)} ms, delivered ${lat.length} in ${(performance.now() - t).toFixed(0)} ms`);
  console.log(out.join("\n"));
  await r.close();
  await w.end();
}, 120000);
test("backlog", async () => {
  const w = await webhooksUnderTest();
  const deps = w.replica({ config: { MAX_ATTEMPTS_IN_FLIGHT: 10000 } });
  const inbox = w.replica();
  const r = await startReceiver((res) => { setTimeout(() => res.writeHead(204).end(), 5000); });
  const caller = newCaller();
  const ids: string[] = [];
  for (let n = 0; n < 200; n++) ids.push((await subscribe(inbox, n < 10 ? caller : newCaller(), r.url)).id);
  await w.db.pool.query("SET statement_timeout = 0");
  const c = await w.db.pool.connect();
  await c.query("SET statement_timeout = 0");
  (c as never as { connectionParameters: { query_timeout: number } }).connectionParameters.query_timeout = 0;
  await c.query({ text: `INSERT INTO events SELECT 'evt_' || lpad(n::text, 26, 'a'), 'shipment.created', $1, 'sandbox', '{}', now() FROM generate_series(1, 100000) n`, values: [caller.accountId], query_timeout: 600000 } as never);
  await c.query("ALTER TABLE deliveries DISABLE TRIGGER USER");
  await c.query({ text: `INSERT INTO deliveries SELECT s, 'evt_' || lpad(n::text, 26, 'a'), 'pending', 0, now() - n * interval '1 ms' FROM unnest($1::text[]) s, generate_series(1, 50000) n`, values: [ids.slice(0, 10)], query_timeout: 600000 } as never);
  await c.query({ text: `INSERT INTO deliveries SELECT s, 'evt_' || lpad(n::text, 26, 'a'), 'pending', 0, now() - n * interval '1 ms' FROM unnest($1::text[]) s, generate_series(1, 50) n`, values: [ids.slice(10)], query_timeout: 600000 } as never);
  await c.query("ALTER TABLE deliveries ENABLE TRIGGER USER");
  await c.query("UPDATE ready_queue q SET next_due = (SELECT min(next_at) FROM deliveries d WHERE d.subscription_id = q.subscription_id)");
  await c.query({ text: "ANALYZE", query_timeout: 600000 } as never);
  c.release();
  const times: string[] = [];
  for (let n = 0; n < 40; n++) {
    const t = performance.now();
    const claimed = await dispatchOnce(deps);
    times.push(`${claimed}:${(performance.now() - t).toFixed(1)}`);
    if (claimed === 0) break;
  }
  console.log(times.join(" "));
  void sql;
  await r.close();
  await w.end();
}, 300000);
