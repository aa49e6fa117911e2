import { sendAnswer } from "@shipping/kit/http/send-answer";
import type { Request, Response } from "express";
import type { Answer } from "./answer-messages.js";

type Accepting = Pick<Request, "headers" | "accepts">;

/** Sends the response to messages: as JSON, or as an event stream with one event to a client that accepts nothing else. */
export function sendMessages(req: Accepting, res: Response, answer: Answer): void {
  if (answer === undefined) res.writeHead(202, { "Content-Length": 0 }).end();
  else if (acceptsOnlyStreams(req)) sendAnswer(res, 200, { type: "text/event-stream", body: toEvent(answer) });
  else sendAnswer(res, 200, { type: "application/json", body: answer });
}

function acceptsOnlyStreams(req: Accepting): boolean {
  const { accept } = req.headers;
  if (!accept?.includes("text/event-stream")) return false;
  return !req.accepts("application/json") && req.accepts("text/event-stream") === "text/event-stream";
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** A line end would end the data of the event. In JSON, it can only be white space. */
function toEvent(json: readonly Uint8Array[]): Uint8Array[] {
  const lines = json.map((part) => part.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte)));
  return [Buffer.from("event: message\ndata: "), ...lines, Buffer.from("\n\n")];
}
