import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { Schedule } from "@shipping/kit/testing/schedules/explore";
import { type Connections, createConnections } from "../egress/connections.js";

/** A request of an attempt, by the ID of its event and the path of its subscription's URL. */
export interface Sent {
  path: string;
  eventId: string;
  atMs: number;
  /** Undefined until the answer has arrived. */
  endedAtMs?: number;
}

/** The behaviour of a receiver: it answers with a status, breaks the connection, or never answers. */
export type Reaction = number | "breaks" | "never";

/** Connections that lead to a receiver in memory: that requests and answers arrive is part of the schedule. */
export function scheduledReceiver(
  schedule: Schedule,
  react: () => Reaction,
): { connections: Connections; sent: Sent[] } {
  const sent: Sent[] = [];

  async function receive(head: string, connection: Duplex): Promise<void> {
    const path = head.split(" ", 2)[1]!;
    const eventId = /webhook-id: (\S+)/i.exec(head)![1]!;
    const request: Sent = { path, eventId, atMs: schedule.nowMs() };
    sent.push(request);
    const reaction = react();
    await schedule.step(`${eventId} arrives`);
    if (reaction === "never") return;
    request.endedAtMs = schedule.nowMs();
    if (reaction === "breaks") connection.destroy(new Error("ECONNRESET"));
    else connection.push(`HTTP/1.1 ${reaction} \r\nContent-Length: 0\r\n\r\n`);
  }

  function connect(): Duplex {
    let text = "";
    const connection: Duplex = new Duplex({
      read() {},
      write(chunk: Buffer, _, done) {
        text += chunk.toString("latin1");
        done();
        const [head, body] = text.split("\r\n\r\n", 2);
        const length = Number(/content-length: (\d+)/i.exec(head!)?.[1]);
        if (body?.length !== length) return;
        text = "";
        void schedule.run("receiver", "answers", () => receive(head!, connection));
      },
    });
    return connection;
  }

  const connections = createConnections((_, callback) => queueMicrotask(() => callback(null, connect() as Socket)));
  return { connections, sent };
}
