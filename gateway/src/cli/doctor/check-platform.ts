import type { Log } from "@shipping/kit/process/log";
import { checkDatabase } from "../platform/check-database.js";
import { nowhere, type Part, type PerPart, type Platform } from "../platform/find-platform.js";
import type { Finding } from "../platform/finding.js";
import { checkBus } from "./check-bus.js";
import { checkApi, checkService } from "./check-service.js";

/** Says of each part that is known whether it is reachable, migrated and serving, and on which versions it runs. */
export async function checkPlatform(platform: Platform, log: Log): Promise<Finding[]> {
  const { gateway: api, ...services } = platform.services;
  const findings = await Promise.all([
    ...known(platform.databases).map(([part, url]) => checkDatabase(part, url, log)),
    ...known(services).flatMap(([part, urls]) => addressesOf(urls).map((url) => checkService(part, url, platform.tls))),
    ...addressesOf(api).map((url) => checkApi(url)),
    ...addressesOf(platform.bus).map((url) => checkBus(url)),
  ]);
  findings.push({ part: "Node", ok: true, says: `version ${process.versions.node}` });
  return platform.databases.gateway ? findings : [nowhere(platform), ...findings];
}

const known = (urls: Partial<PerPart>) =>
  Object.entries(urls).filter((entry): entry is [Part, string] => entry[1] !== undefined);

const addressesOf = (urls: string | undefined) => urls?.split(",").map((url) => url.trim()) ?? [];
