import http from "node:http";
import { Duplex } from "node:stream";
import type { Schedule } from "@shipping/kit/testing/schedules/explore";
import type { EgressAgents } from "../egress/egress-agents.js";

/** A request of an attempt, by the ID of its event and the path of its subscription's URL. */
export interface Sent {
  path: string;
  eventId: string;
  atMs: number;
  /** Undefined until the answer has arrived. */
  endedAtMs?: number;
}

/** What a receiver does: it answers with a status, breaks the connection, or never answers. */
export type Reaction = number | "breaks" | "never";

/** Agents whose connections lead to a receiver in memory: that requests and answers arrive is part of the schedule. */
export function scheduledReceiver(schedule: Schedule, react: () => Reaction): { agents: EgressAgents; sent: Sent[] } {
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

  class Agent extends http.Agent {
    override createConnection(): Duplex {
      let text = "";
      let received = false;
      const connection: Duplex = new Duplex({
        read() {},
        write(chunk: Buffer, _, done) {
          text += chunk.toString("latin1");
          done();
          const [head, body] = text.split("\r\n\r\n", 2);
          const length = Number(/content-length: (\d+)/i.exec(head!)?.[1]);
          if (received || body?.length !== length) return;
          received = true;
          void schedule.run("receiver", "answers", () => receive(head!, connection));
        },
      });
      return connection;
    }
  }

  return { agents: { of: () => new Agent(), destroy() {}, isDestroyed: () => false }, sent };
}
