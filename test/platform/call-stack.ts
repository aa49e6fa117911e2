import { silentLog } from "@shipping/kit/process/log";
import { connectTo, type ServiceTransport } from "@shipping/kit/rpc/client";
import type { Part } from "@shipping/local/parts";
import type { Stack } from "./stack.js";

/** A transport to a part of a stack, with the stack's token. */
export function callStack({ rpcPorts, rpcToken }: Pick<Stack, "rpcPorts" | "rpcToken">, part: Part): ServiceTransport {
  return connectTo({ urls: `http://127.0.0.1:${rpcPorts[part]}`, log: silentLog(), token: rpcToken });
}
