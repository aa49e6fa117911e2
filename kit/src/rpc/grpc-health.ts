import { EventEmitter, once } from "node:events";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  Health,
  type HealthCheckRequest,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from "@shipping/proto/grpc/health/v1/health_pb";

/** The standard health service of one process. It serves until it is stopped, and notifies watchers at once. */
export function createHealth() {
  const changes = new EventEmitter().setMaxListeners(0);
  let status: Status = Status.SERVING;
  const answer = () => create(HealthCheckResponseSchema, { status });

  async function* watch(_: HealthCheckRequest, context: HandlerContext) {
    yield answer();
    if (status !== Status.SERVING) return;
    // The stream ends after the last status, so that an open watch never delays the stop.
    await once(changes, "stop", { signal: context.signal });
    yield answer();
  }

  return {
    check: { method: Health.method.check, handle: answer },
    watch: { method: Health.method.watch, handle: watch },
    /** From now on every answer is NOT_SERVING. */
    stop(): void {
      status = Status.NOT_SERVING;
      changes.emit("stop");
    },
  };
}
