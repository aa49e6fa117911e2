import { connectTo as connect } from "@shipping/kit/rpc/client";
import { between } from "./points.mjs";

export * from "@shipping/kit/rpc/client";

/** A transport whose calls have the points `before-send <Method>` and `after-answer <Method>`. */
export function connectTo(options) {
  const transport = connect(options);
  const unary = (method, ...call) =>
    between(`before-send ${method.name}`, `after-answer ${method.name}`, () => transport.unary(method, ...call));
  return { ...transport, unary };
}
