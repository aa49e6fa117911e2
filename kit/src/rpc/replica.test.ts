import { once } from "node:events";
import { createClient } from "@connectrpc/connect";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { silentLog } from "../process/log.js";
import { empty, readRequest, rpcTestbed } from "../testing/rpc-testbed.js";
import { openReplica } from "./replica.js";

const { serving, onEnd, ends } = rpcTestbed();
afterEach(async () => {
  jest.useRealTimers();
  await ends();
});

test("a call of an operator runs on for its minute, although the replica's health is answered late", async () => {
  const call = new EventTarget();
  const begun = once(call, "begun");
  const { url } = await serving(async () => {
    call.dispatchEvent(new Event("begun"));
    await once(call, "end");
  });
  jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate", "performance"] });
  const replica = openReplica(url, silentLog());
  onEnd(() => replica.close());
  const answer = createClient(LedgerService, replica).read(readRequest());
  // The connection was not read meanwhile, so the health check has not been answered.
  jest.advanceTimersByTime(2_000);
  expect(replica.state()).toBe("unresponsive");
  await begun;
  jest.advanceTimersByTime(55_000);
  call.dispatchEvent(new Event("end"));
  expect(await answer).toEqual(empty());
});
