import type { Failure } from "@shipping/kit/errors";
import { errorBody, sendAnswer } from "@shipping/kit/http/send-answer";
import type { Response } from "express";
import { passOn, REFUSAL_HEADERS } from "./admission.js";
import type { GatewayAnswer } from "./exchange.js";

/** An error object of the API. */
interface ApiError {
  code: string;
  message: string;
  request_id: string;
}

/** Sends a refusal of the gateway to the client. `toBody` writes its body. */
export function relay({ status, headers, body }: GatewayAnswer, res: Response, toBody = toMessageRefusal): void {
  passOn(headers, res, REFUSAL_HEADERS);
  // The gateway answers HEAD without a body.
  if (body.length === 0) return void res.writeHead(status, { "cache-control": "no-store" }).end();
  const { error } = JSON.parse(Buffer.from(body).toString()) as { error: ApiError };
  Object.assign(res.locals, { errorCode: error.code, requestId: error.request_id });
  sendAnswer(res, status, { type: "application/json", body: toBody(error) });
}

/** The body of a refusal that no gateway has answered. */
export function bodyWithoutGateway(failure: Failure, requestId: string): string {
  return toMessageRefusal(JSON.parse(errorBody(failure, requestId)).error);
}

/**
 * The refusal of a message as an error of JSON-RPC, whose text clients of MCP show. `data` is the error object of the API. The ID is null, because the
 * message was not read, or is one of several.
 */
function toMessageRefusal(error: ApiError): string {
  return JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_000, message: error.message, data: error } });
}

/** The refusal of a host's registration, as OAuth has it (RFC 7591, 3.2.2). Hosts show its description. */
export function toRegistrationRefusal({ message }: Pick<ApiError, "message">): string {
  return JSON.stringify({ error: "access_denied", error_description: message });
}
