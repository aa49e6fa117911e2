import { DiscardPolicy, JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { silentLog } from "../process/log.js";
import { eventually } from "../testing/eventually.js";
import { thingCreated } from "../testing/outbox-testbed.js";
import { BusOutage } from "./bus.js";
import { makeStream, STREAM, STREAM_LIMITS } from "./event-stream.js";
import { createJetStreamBus } from "./jetstream-bus.js";

const natsUrl = process.env.TEST_NATS_URL ?? "";

test("a stream that is full refuses as an outage, one that does not take so large an event refuses the event", async () => {
  const nats = await connect({ servers: natsUrl });
  await makeStream({ nc: nats, timeoutMs: 5_000 }, STREAM_LIMITS);
  const bus = createJetStreamBus({ url: natsUrl, name: "test", log: silentLog() });
  await eventually(() => bus.publish(thingCreated()), { withinMs: 10_000 });
  const { streams } = await jetstreamManager(nats);
  await streams.update(STREAM, { discard: DiscardPolicy.New, max_msgs: 1 });
  await expect(bus.publish(thingCreated())).rejects.toBeInstanceOf(BusOutage);
  await streams.update(STREAM, { max_msgs: -1, max_msg_size: 10 });
  await expect(bus.publish(thingCreated())).rejects.toBeInstanceOf(JetStreamApiError);
  await streams.delete(STREAM);
  await bus.close();
  await nats.close();
});
