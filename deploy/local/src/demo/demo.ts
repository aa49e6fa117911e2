import "@shipping/kit/process/require-node";
import { resolve } from "node:path";
import { Command } from "commander";
import { openReceiver } from "../listen/receiver.js";
import { examples } from "../option-values.js";
import type { Platform } from "../platform/start-platform.js";
import { temporaryFolder } from "../temporary-folder.js";
import { playDemo } from "./play-demo.js";

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Starts the platform in a temporary folder, plays the demo through its public API, and cleans up. */
async function demo(): Promise<number> {
  const begun = performance.now();
  const folder = await temporaryFolder("shipping-demo-");
  const receiver = await openReceiver();
  let platform: Platform | undefined;
  say("Starting the whole platform in a temporary folder …");
  try {
    // The platform is imported here, because the help does not need it.
    const { startPlatform } = await import("../platform/start-platform.js");
    platform = await startPlatform({
      overrides: { PORT: "0", DATA_DIR: folder, WEBHOOK_ALLOW_PRIVATE_TARGETS: "true" },
    });
    say(`Ready after ${seconds(begun)} at ${platform.baseUrl}. A webhook receiver is listening on ${receiver.url}.`);
    const count = await playDemo({
      baseUrl: platform.baseUrl,
      key: platform.demo.sandbox_key,
      liveKey: platform.demo.live_key,
      receiver,
      labelFile: resolve("label-demo.pdf"),
      say,
    });
    say(`\nAll ${count} steps passed in ${seconds(begun)}. The label is in label-demo.pdf.`);
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(platform ? `\nFailed: ${reason}` : `The platform did not start: ${reason}`);
    return 1;
  } finally {
    await platform?.stop(true);
    await receiver.close();
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

new Command("npm run demo --")
  .description(
    "Run the main steps, from an order to a label, on a temporary platform. The label is saved as label-demo.pdf.",
  )
  .addHelpText("after", examples("npm run demo"))
  .parse();
process.exitCode = await demo();
