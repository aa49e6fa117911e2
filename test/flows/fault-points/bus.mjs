import { createJetStreamBus as create } from "@shipping/kit/events/jetstream-bus";
import { between } from "./points.mjs";

export * from "@shipping/kit/events/jetstream-bus";

/** A bus whose publications have the points `before-publish` and `after-publish`. */
export function createJetStreamBus(...options) {
  const bus = create(...options);
  return { ...bus, publish: (...event) => between("before-publish", "after-publish", () => bus.publish(...event)) };
}
