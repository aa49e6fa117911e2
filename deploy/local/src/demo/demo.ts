import "@shipping/kit/process/require-node";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { openReceiver } from "../listen/receiver.js";
import { examples } from "../option-values.js";
import { startPlatform } from "../platform/start-platform.js";
import { playDemo } from "./play-demo.js";

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Starts the platform in a temporary folder, plays the demo through its public API, and cleans up. */
async function demo(): Promise<number> {
  const begun = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "shipping-demo-"));
  const receiver = await openReceiver();
  say("Starting the whole platform in a temporary folder …");
  const platform = await startPlatform({
    overrides: { PORT: "0", DATA_DIR: folder, WEBHOOK_ALLOW_PRIVATE_TARGETS: "true" },
  });
  say(`Ready after ${seconds(begun)} at ${platform.baseUrl}. A webhook receiver is listening on ${receiver.url}.`);
  try {
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
    say(`\nFailed: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    await platform.stop(true);
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
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
try {
  process.exitCode = await demo();
} catch (error) {
  say(`The platform did not start: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
