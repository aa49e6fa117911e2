import { samplesIn } from "../testing/samples.js";
import { silentLog } from "./log.js";
import { createMetrics } from "./metrics.js";

const metricsOf = (part: string, cacheMs = 0) => createMetrics({ part, log: silentLog(), cacheMs });

test("counters count, one for each value of a label, from zero on", async () => {
  // A part that is started twice in one process has separate metrics.
  metricsOf("test").counter("things_total", "Things.")(7);
  const metrics = metricsOf("test");
  const count = metrics.counter("things_total", "Things.");
  const countEnd = metrics.counterBy("ends_total", "Ends.", { by: "end", values: ["good", "bad"] });
  count();
  count(2);
  countEnd("good");
  expect(samplesIn(await metrics.render())).toEqual({
    'things_total{part="test"}': 3,
    'ends_total{end="good",part="test"}': 1,
    'ends_total{end="bad",part="test"}': 0,
  });
});

describe("gauges", () => {
  const help = { first: "The first.", second: "The second." };

  test("one reading serves all of them, and the scrapes that follow soon", async () => {
    const metrics = metricsOf("test", 60_000);
    let readings = 0;
    metrics.gauges(help, async () => ({ first: ++readings, second: 7 }));
    const all = await Promise.all([metrics.render(), metrics.render()]);
    for (const text of [...all, await metrics.render()]) {
      expect(samplesIn(text)).toEqual({ 'first{part="test"}': 1, 'second{part="test"}': 7 });
    }
  });

  test("a reading that fails leaves out only its own gauges", async () => {
    const metrics = metricsOf("test");
    let away = false;
    metrics.counter("things_total", "Things.");
    metrics.gauges(help, async () => {
      if (away) throw new Error("the database is away");
      return { first: 1, second: 2 };
    });
    await metrics.render();
    away = true;
    expect(samplesIn(await metrics.render())).toEqual({ 'things_total{part="test"}': 0 });
    away = false;
    expect(samplesIn(await metrics.render())).toMatchObject({ 'first{part="test"}': 1 });
  });
});

test("work is counted by name and result, and timed by name", async () => {
  const metrics = metricsOf("test");
  const names = { total: "jobs_total", seconds: "job_seconds", by: "job", result: "end" };
  const count = metrics.work(names, { total: "Jobs.", seconds: "Their time." });
  count({ name: "wash", result: "good", ms: 30 });
  count({ name: "wash", result: "bad", ms: 3_000 });
  expect(samplesIn(await metrics.render())).toMatchObject({
    'jobs_total{job="wash",end="good",part="test"}': 1,
    'jobs_total{job="wash",end="bad",part="test"}': 1,
    'job_seconds_bucket{le="0.05",part="test",job="wash"}': 1,
    'job_seconds_bucket{le="5",part="test",job="wash"}': 2,
    'job_seconds_sum{part="test",job="wash"}': 3.03,
  });
});
