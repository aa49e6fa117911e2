import { createLog } from "@shipping/kit/log";
import { runProcess } from "@shipping/kit/process";
import { localConfig } from "./config.js";
import { type Platform, startPlatform } from "./start-platform.js";

const say = (line: string) => process.stdout.write(`${line}\n`);

/** `npm start`: the platform in one process, until Ctrl-C. */
async function start(): Promise<Platform> {
  const platform = await startPlatform();
  const { baseUrl, demo } = platform;
  say(`
The shipping platform is ready at ${baseUrl}
  reference   ${new URL("/docs", baseUrl)}
  demo keys   ${platform.demoFile}

First call:
  curl -H "Authorization: Bearer ${demo.sandbox_key}" ${baseUrl}/account

Ctrl-C stops it; everything is kept in ${platform.dataDir}.`);
  return platform;
}

await runProcess({
  log: createLog({ part: "platform", level: localConfig().LOG_LEVEL, destination: process.stderr }),
  start,
});
