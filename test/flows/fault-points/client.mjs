import { connectTo as connect } from "@shipping/kit/rpc/client";
import { between } from "./points.mjs";

export * from "@shipping/kit/rpc/client";

/** A transport whose calls have the points `before-send <Service>/<Method>` and `after-answer <Service>/<Method>`. */
export function connectTo(options) {
  const transport = connect(options);
  const unary = (method, ...call) => {
    const name = `${method.parent.name}/${method.name}`;
    return between(`before-send ${name}`, `after-answer ${name}`, () => transport.unary(method, ...call));
  };
  return { ...transport, unary };
}
