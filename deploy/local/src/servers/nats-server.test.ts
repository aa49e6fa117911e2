import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findNatsServer } from "./find-nats-server.js";
import { startNatsServer } from "./nats-server.js";

test("a port that is in use is named in the error", async () => {
  const program = await findNatsServer({ env: process.env, say: () => {} });
  const dataDir = await mkdtemp(join(tmpdir(), "nats-test-"));
  const port = Number(new URL(process.env.TEST_NATS_URL as string).port);
  await expect(startNatsServer({ program, dataDir, port })).rejects.toThrow(
    /^nats-server did not start: .*address already in use/,
  );
});
