import { callOptions } from "@shipping/kit/rpc/call-owner";
import type { Snapshot } from "@shipping/proto/shipping/common/v1/common_pb";
import { type PageDeps, type PageRequest, toCaller } from "./page.js";

/** A write of the API, made by a form. */
interface FormWrite {
  /** The `operationId` of the API's operation. */
  operation: string;
  id?: string;
  /** The ID of the rendered form. The idempotency key is made from it. */
  formId: string;
  /** For forms that make several writes: tells their idempotency keys apart. */
  step?: string;
  /** Undefined if the endpoint has no body. */
  body: unknown;
}

/** Executes a write as its endpoint does, with the same validation and events, at most once per form. */
export async function writeByForm(
  deps: PageDeps,
  request: PageRequest,
  { operation, id = "", formId, step, body }: FormWrite,
): Promise<Snapshot> {
  const { snapshot } = await deps.access.executeWrite(
    {
      caller: toCaller(request),
      actor: request.actor,
      operation,
      id,
      body: body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
      idempotencyKey: ["developer-area", formId, step].filter(Boolean).join(":"),
    },
    callOptions(request),
  );
  if (!snapshot) throw new Error("The gateway answered a write without its result.");
  return snapshot;
}
