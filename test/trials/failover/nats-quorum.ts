import type { Report } from "../chaos/deliveries/report.js";
import { type Around, calm, type NatsFault, playNatsFaults, secondsOf } from "./nats-platform.js";

/** Two of three servers, the leader of the stream among them, are down for a while; they then lose their disks, and empty ones take their places. */
export function natsQuorum(
  say: (line: string) => void,
  options: Around & { lostMs: number } = { clients: 8, calmMs: 8_000, lostMs: 30_000, arriveWithinMs: 120_000 },
): Promise<Report> {
  const faults = [
    twoLost("quorumLost", { lostMs: options.lostMs, wiped: false }),
    twoLost("disksLost", { lostMs: 2_000, wiped: true }),
  ];
  return playNatsFaults(say, faults, options);
}

function twoLost(name: string, { lostMs, wiped }: { lostMs: number; wiped: boolean }): NatsFault {
  return {
    name,
    async play(servers) {
      const { stream } = await servers.settled();
      const other = ["nats-1", "nats-2", "nats-3"].find((one) => one !== stream) as string;
      const bringBack = await servers.takeDown([stream, other], { wiped });
      await calm(lostMs);
      await bringBack();
      return { completeAfterSeconds: await secondsOf(servers.settled) };
    },
  };
}
