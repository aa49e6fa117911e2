import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { newId } from "@shipping/kit/ids";
import { examples } from "@shipping/local/option-values";
import { Command } from "commander";
import { contract, shipmentTo } from "./contract.js";

const command = new Command("npx tsx --conditions=source test/carrier/contract/main.ts")
  .description("Check an adapter against its carrier's test system. It books a few parcels and cancels them.")
  .argument("<module>", "the adapter, which exports openCarrier(url)")
  .argument("<url>", "where the carrier serves")
  .option("--refused-city <city>", "a city to which the carrier refuses to deliver")
  .addHelpText(
    "after",
    examples("npx tsx --conditions=source test/carrier/contract/main.ts adapter.ts http://127.0.0.1:4000"),
  )
  .parse();
const [path = "", url = ""] = command.args;
const { openCarrier } = await import(pathToFileURL(resolve(path)).href);
const { refusedCity } = command.opts<{ refusedCity?: string }>();

for (const { promise, run } of contract) {
  try {
    await run({
      carrier: openCarrier(url),
      newShipment: (city) => shipmentTo(newId("shp", randomBytes), city),
      newKey: () => newId("bkg", randomBytes),
      refusedCity,
    });
    console.log(`ok      ${promise}`);
  } catch (error) {
    console.log(`BROKEN  ${promise}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
