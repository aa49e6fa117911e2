import { createJetStreamPublisher as create } from "@shipping/kit/events/jetstream-publisher";
import { between } from "./points.mjs";

export * from "@shipping/kit/events/jetstream-publisher";

/** A bus whose publications have the points `before-publish` and `after-publish`. */
export function createJetStreamPublisher(...options) {
  const bus = create(...options);
  return { ...bus, publish: (...event) => between("before-publish", "after-publish", () => bus.publish(...event)) };
}
