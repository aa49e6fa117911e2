import { examples } from "@shipping/local/option-values";
import { Argument, Command } from "commander";
import { startPlatform } from "../bench/platform.js";
import { percentiles } from "../kit/statistics.js";
import { attacks } from "./attacks/attacks.js";
import { type Outcome, play } from "./play.js";
import { verdictOn } from "./verdict.js";
import { type Experience, newVictim } from "./victim.js";

const known = Object.keys(attacks);
const { args } = new Command("npm run trial -- abuse")
  .description("Measure the effect of attacks on other customers, with one process of each part.")
  .addArgument(new Argument("[attacks...]", "attacks to run; default: all").choices(known))
  .addHelpText("after", examples("npm run trial -- abuse form-bomb"))
  .parse();
const chosen = args.length > 0 ? args : known;

const CUSTOMERS = { accounts: 40, keysOfEach: 6 };
const WARM_UP_SECONDS = 5;

const shown = ({ latencies, eventLatencies }: Experience) =>
  `${JSON.stringify(percentiles(latencies))} ms; events ${JSON.stringify(percentiles(eventLatencies))}`;

const inMb = (mb = Number.NaN) => Math.round(mb);

function printOrdinary({ responses, before, peaks, after }: NonNullable<Outcome["ordinary"]>): void {
  const sizes = Object.entries(before)
    .filter(([name]) => /^(gateway|portal|mcp)-/.test(name))
    .map(([name, mb]) => `${name} ${inMb(mb)} before, ${inMb(peaks[name])} at most, ${inMb(after[name])} after`);
  console.log(`  ordinary client  ${JSON.stringify(responses)}; MB ${sizes.join(", ")}`);
}

function print({ attack, ordinary, alone, beside, attacker, peaks, before, service, memory }: Outcome): void {
  const broken = [...service, ...memory];
  const peaksInMb = Object.entries(peaks).map(([name, mb]) => `${name} ${inMb(mb)} (before ${inMb(before[name])})`);
  console.log(attack);
  if (ordinary) printOrdinary(ordinary);
  console.log(`  alone   ${shown(alone)}
  beside  ${shown(beside)}
  attacker  ${JSON.stringify(attacker)}
  peak MB  ${peaksInMb.join(", ")}
  ${broken.length === 0 ? "kept" : `BROKEN: ${broken.join("; ")}`}`);
}

const platform = await startPlatform({ replicas: 1, ...CUSTOMERS, env: { TRUSTED_PROXIES: "1", MCP: "true" } });
try {
  const victim = await newVictim(platform.target);
  await victim.live(WARM_UP_SECONDS);
  for (const attack of chosen) {
    const plays: Outcome[] = [];
    while (plays.length === 0 || !verdictOn(plays)) {
      const outcome = await play(attack, platform, victim);
      print(outcome);
      plays.push(outcome);
    }
    if (verdictOn(plays) === "broken") process.exitCode = 1;
  }
  victim.close();
} finally {
  await platform.stop();
}
