import { examples } from "@shipping/local/option-values";
import { Argument, Command } from "commander";
import { startPlatform } from "../bench/platform.js";
import { percentiles } from "../kit/statistics.js";
import { attacks } from "./attacks/attacks.js";
import { type Outcome, play } from "./play.js";
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
/** A disk that stalls for 300 ms, or other load on the machine, may exceed a limit once. An attack that exceeds one does so in most plays. */
const PLAYS = 3;

const shown = ({ latencies, eventLatencies }: Experience) =>
  `${JSON.stringify(percentiles(latencies))} ms; events ${JSON.stringify(percentiles(eventLatencies))}`;

function print({ attack, alone, beside, attacker, peaks, before, broken }: Outcome): void {
  const peaksInMb = Object.entries(peaks).map(
    ([name, mb]) => `${name} ${Math.round(mb)} (alone ${Math.round(before[name] ?? Number.NaN)})`,
  );
  console.log(`${attack}
  alone   ${shown(alone)}
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
    let broken = 0;
    for (let kept = 0; kept <= PLAYS / 2 && broken <= PLAYS / 2; ) {
      const outcome = await play(attack, platform, victim);
      print(outcome);
      if (outcome.broken.length > 0) broken++;
      else kept++;
      // Only failures need repetition to rule out chance, and most attacks pass.
      if (broken === 0) break;
    }
    if (broken > PLAYS / 2) process.exitCode = 1;
  }
  victim.close();
} finally {
  await platform.stop();
}
