import { setImmediate as turnOfLoop } from "node:timers/promises";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { silentLog } from "../process/log.js";
import { readRequest, rpcTestbed } from "../testing/rpc-testbed.js";
import { serve } from "./server.js";

const { clientTo, onEnd, ends } = rpcTestbed();
afterEach(ends);

const MEGABYTE = 1024 * 1024;

test("pages of a megabyte for forty clients that do not read yet do not block the next client", async () => {
  const body = Buffer.alloc(MEGABYTE, "x");
  const result = { snapshot: { status: 200, body } };
  const server = await serve({
    routes: (router) => void router.service(LedgerService, { read: () => ({ result }) }),
    port: 0,
    host: "127.0.0.1",
    log: silentLog(),
  });
  onEnd(() => server.stop(0));
  const client = clientTo(`http://127.0.0.1:${server.port}`);
  const answers = [client.read(readRequest())];
  await answers[0];
  for (let count = 0; count < 40; count++) {
    // Each call gets a stream of its own, because calls of one turn would share a stream.
    await turnOfLoop();
    answers.push(client.read(readRequest()));
  }
  for (const { result } of await Promise.all(answers)) expect(result?.snapshot?.body).toHaveLength(MEGABYTE);
});
