import { Failure } from "@shipping/kit/errors";
import { HttpRefusal } from "@shipping/kit/http/http-rules";
import { type ErrorCode, errors } from "@shipping/proto/errors";
import { z } from "zod";

/**
 * The path of agents' messages. The part `mcp` answers them at the public address. Before it does, it sends a request with the same method and key to
 * this path of the gateway's internal port, which admits the sender like that of any request, or refuses it.
 */
export const MCP_PATH = "/mcp";

/** The header in which the gateway names the account of an admitted sender. */
export const ACCOUNT_HEADER = "shipping-account";

/** The header in which `mcp` tells the gateway why it refuses the message, as JSON, so that the gateway logs and answers it. */
export const REFUSAL_HEADER = "shipping-refusal";

const refusal = z.object({
  code: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]),
  status: z.int(),
  message: z.string(),
  fields: z.array(z.object({ path: z.string(), message: z.string() })).readonly(),
  /** Whether the message is refused whatever its key is: it is not valid HTTP, or there is no such method. */
  isEarly: z.boolean(),
});

export type MessageRefusal = z.output<typeof refusal>;

/** Encodes a refusal for the header. All of its texts are ours, and ASCII. */
export function writeRefusal({ code, status, message, fields }: Failure, isEarly: boolean): string {
  return JSON.stringify({ code, status, message, fields, isEarly } satisfies MessageRefusal);
}

/** Decodes a refusal, and says whether it comes before the key is checked. Undefined if there is none. */
export function readRefusal(header: string | undefined): { failure: Failure; isEarly: boolean } | undefined {
  if (header === undefined) return undefined;
  const { code, status, message, fields, isEarly } = refusal.parse(JSON.parse(header));
  const failure = status === 405 ? new HttpRefusal(status, message) : new Failure(code, message, fields);
  return { failure, isEarly };
}
