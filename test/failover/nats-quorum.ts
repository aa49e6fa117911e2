import type { Report } from "../chaos/deliveries/report.js";
import { type Around, calm, type NatsFault, playNatsFaults, secondsOf } from "./nats-platform.js";

/** Two of three servers, the leader among them, are down for a while: nothing can be published, and all of it is afterwards. */
export function natsQuorum(
  say: (line: string) => void,
  options: Around & { lostMs: number } = { clients: 8, calmMs: 8_000, lostMs: 30_000, arriveWithinMs: 120_000 },
): Promise<Report> {
  const quorumLost: NatsFault = {
    name: "quorumLost",
    async play(servers) {
      const { stream } = await servers.settled();
      const other = ["nats-1", "nats-2", "nats-3"].find((name) => name !== stream) as string;
      const bringBack = await servers.takeDown([stream, other]);
      await calm(options.lostMs);
      await bringBack();
      return { completeAfterSeconds: await secondsOf(servers.settled) };
    },
  };
  return playNatsFaults(say, [quorumLost], options);
}
