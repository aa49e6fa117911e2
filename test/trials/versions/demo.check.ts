import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createDatabases } from "@shipping/local/databases/prepare-databases";
import { playDemo } from "@shipping/local/demo/play-demo";
import { openReceiver } from "@shipping/local/listen/receiver";
import { mapParts, parts } from "@shipping/local/parts";
import { startCluster } from "../../platform/cluster.js";
import { ONE_OF_EACH } from "../../platform/launch-cluster.js";
import type { Combination } from "./combinations.js";

const combination: Combination = JSON.parse(process.env.TEST_VERSIONS ?? "{}");
// The patch number of the npm package is its own.
const postgresql = combination.postgresql.split(".").slice(0, 2).join(".");

test("the demo runs over separate processes, on exactly these versions", async () => {
  const passwords = mapParts(() => randomBytes(18).toString("base64url"));
  const urls = await createDatabases({ url: process.env.TEST_DATABASE_URL ?? "", passwords });
  const databases = parts.map((part) => [`DATABASE_URL_${part.toUpperCase()}`, urls[part]]);
  const receiver = await openReceiver();
  const settings = { WEBHOOK_ALLOW_PRIVATE_TARGETS: "true", LOG_LEVEL: "info", ...Object.fromEntries(databases) };
  const cluster = await startCluster(ONE_OF_EACH, settings);
  try {
    const { base_url: baseUrl, sandbox_key: key, live_key: liveKey } = await cluster.now();
    const labelFile = join(cluster.dataDir, "label.pdf");
    const steps = await playDemo({ baseUrl, key, liveKey, receiver, labelFile, say: () => {} });
    expect(steps).toBeGreaterThan(10);
    const log = await readFile(join(cluster.dataDir, "logs", "records-1.log"), "utf8");
    const lines = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ msg: "serving", postgresql, node: combination.node }));
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: "bus connected", nats_server: combination.natsServer }),
    );
  } finally {
    await cluster.stop();
    await receiver.close();
  }
});
