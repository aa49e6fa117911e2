import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sql from "sql-template-tag";
import { silentLog } from "../process/log.js";
import { startTracing, traced } from "../process/tracing.js";
import { testDatabase } from "../testing/database.js";
import { otlpCollector } from "../testing/otlp-collector.js";

test("a statement is a span with its text, and without its values", async () => {
  const directory = await mkdtemp(join(tmpdir(), "prisma-"));
  await mkdir(join(directory, "migrations"));
  const { db, drop } = await testDatabase({ directory });
  const collector = await otlpCollector();
  const config = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: 1 };
  const tracing = await startTracing({ part: "test", config, log: silentLog() });
  await traced("request", { kind: "server" }, () => db.run(sql`SELECT ${"a secret"} AS value`));
  await tracing.close();
  await collector.stop();
  expect(collector.spans.map(({ name }) => name)).toEqual(["sql", "request"]);
  const sent = Buffer.concat(collector.requests).toString("latin1");
  for (const text of ["db.system.name", "postgresql", "db.query.text", "SELECT $1 AS value"])
    expect(sent).toContain(text);
  expect(sent).not.toContain("a secret");
  await drop();
  await rm(directory, { recursive: true });
});
