import { createLog } from "./log.js";
import { waitFor } from "./run-process.js";

test("while a host with several addresses cannot be reached, the log says what is not reachable", async () => {
  const lines: unknown[] = [];
  const stopping = new AbortController();
  const write = (line: string) => {
    lines.push(JSON.parse(line));
    stopping.abort();
  };
  const log = createLog({ part: "carrier", destination: { write } });
  // Node's error for several addresses has no message of its own.
  const attempt = () => Promise.reject(new AggregateError([new Error("connect ECONNREFUSED ::1:5432")]));
  await expect(waitFor("database", { log, stopping: stopping.signal, attempt })).rejects.toThrow("aborted");
  expect(lines).toMatchObject([{ msg: "waiting for database", reason: "database not reachable" }]);
});
