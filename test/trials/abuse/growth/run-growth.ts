import { customerReadings } from "./customer-readings.js";
import { type Effort, type Growth, MAX_TIMES, measureGrowth, type Reading } from "./measure-growth.js";
import { publicReadings } from "./public-readings.js";

/** Every reader of input from strangers or customers. */
export const readings: readonly Reading[] = [...publicReadings, ...customerReadings];

/** Measures every reading, prints the costs, and yields those whose cost grows faster than their input. */
export function runGrowth(effort: Effort, say: (line: string) => void): string[] {
  return readings.flatMap((reading) => {
    const growth = measureGrowth(reading, effort);
    say(lineOf(reading, growth));
    return growth.times > MAX_TIMES ? [`${reading.reader}: ${reading.shape}`] : [];
  });
}

function lineOf({ reader, shape }: Reading, { quarterUs, fullUs, times }: Growth): string {
  const figures = [quarterUs, fullUs].map((us) => us.toFixed(0).padStart(8)).join("");
  return `${`${reader}: ${shape}`.padEnd(60)}${figures} µs ${times.toFixed(1).padStart(5)} times`;
}
