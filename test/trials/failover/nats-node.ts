import type { Report } from "../chaos/deliveries/report.js";
import { type Around, calm, type NatsFault, playNatsFaults, secondsOf } from "./nats-platform.js";

// Until the supervisor has restarted a killed server and the others have noticed.
const RETURN_MS = 2_000;

/**
 * The leader of the stream dies and comes back; then it dies with its disk, and an empty one takes its place; and once more, to check that the
 * replacement has the data.
 */
export function natsNode(
  say: (line: string) => void,
  options: Around & { lostMs: number } = { clients: 8, calmMs: 8_000, lostMs: 5_000, arriveWithinMs: 120_000 },
): Promise<Report> {
  return playNatsFaults(
    say,
    [leaderKilled("leaderKilled"), diskLost(options.lostMs), leaderKilled("leaderKilledAgain")],
    options,
  );
}

function leaderKilled(name: string): NatsFault {
  return {
    name,
    async play(servers) {
      const { stream } = await servers.settled();
      const bringBack = await servers.takeDown([stream]);
      await bringBack();
      await calm(RETURN_MS);
      return { completeAfterSeconds: await secondsOf(servers.settled) };
    },
  };
}

/** The leader of the stream dies with its disk; after `lostMs` an empty server takes its place, and gets everything from the others. */
export function diskLost(lostMs: number): NatsFault {
  return {
    name: "diskLost",
    async play(servers) {
      const { stream } = await servers.settled();
      const bringBack = await servers.takeDown([stream], { wiped: true });
      await calm(lostMs);
      await bringBack();
      return { completeAfterSeconds: await secondsOf(servers.settled) };
    },
  };
}
