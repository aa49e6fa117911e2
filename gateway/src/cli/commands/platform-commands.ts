import { type Log, silentLog } from "@shipping/kit/process/log";
import type { Finding } from "@shipping/kit/service/finding";
import { describeEncryption, type Encryption } from "@shipping/kit/tls/encryption";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import type { Encryption as EncryptionMessage } from "@shipping/proto/shipping/portal/v1/operations_pb";
import { CommanderError } from "commander";
import { readWaitingChanges } from "../../accounts/keep-changes.js";
import { type LoggedAct, listActs } from "../../accounts/operator-log.js";
import { checkApi, checkBus, checkDatabase, checkService } from "../platform/check-parts.js";
import { checkEgressProxy } from "../platform/check-servers.js";
import { notFound, type Part, type PerPart, type Platform, PUBLISHERS } from "../platform/find-platform.js";
import { callService, onGateway } from "../platform/reach-parts.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";
import { limitOption } from "../tools/options.js";
import { plain, toTable } from "../tools/print.js";
import { checkStream } from "./bus-commands.js";
import { onPortal } from "./member-commands.js";

export function addPlatformCommands(admin: AdminCommand, tools: Tools): void {
  addAuditList(admin, tools);
  addDoctor(admin, tools);
}

function addDoctor(admin: AdminCommand, { print, platform }: Tools): void {
  admin
    .command("doctor")
    .description("Check what is reachable, migrated and encrypted, and say what to do if it is not")
    .examples("")
    .reads(async () => {
      const findings = await checkPlatform(await platform(), silentLog());
      const lines = findings.flatMap(({ part, ok, says, advice, encryption }) => [
        `${ok ? "ok" : "!!"}  ${part}: ${says}`,
        ...(encryption ? [`    ${describeEncryption(encryption)}`] : []),
        ...(advice ? [`    ${advice}`] : []),
      ]);
      const ok = findings.every((finding) => finding.ok);
      print({ ok, findings }, lines.join("\n"));
      if (!ok) throw new CommanderError(1, "admin.doctor", "at least one check failed");
    });
}

/** Checks each part whose URL is known: whether it is reachable, migrated and serving, and its versions. */
async function checkPlatform(platform: Platform, log: Log): Promise<Finding[]> {
  const { gateway: api, ...services } = platform.services;
  const findings = await Promise.all([
    ...known(platform.databases).map(([part, url]) => checkDatabase(part, url, log)),
    ...known(services).flatMap(([part, urls]) => splitUrls(urls).map((url) => checkService(part, url, platform.tls))),
    ...splitUrls(api).map((url) => checkApi(url)),
    ...splitUrls(platform.bus).map((url) => checkBus(url, platform.busAuthority)),
    ...(platform.egressProxy ? [checkEgressProxy(platform.egressProxy)] : []),
  ]);
  const publishers = PUBLISHERS.filter((part) => findings.some((one) => one.ok && one.part === `${part} service`));
  findings.push(...(await Promise.all(publishers.map((part) => checkEvents(platform, part)))).flat());
  if (findings.some((one) => one.ok && one.part === "webhooks service"))
    findings.push(...(await checkStream(platform)));
  if (findings.some((one) => one.ok && one.part === "portal service"))
    findings.push(...(await checkServersOfPortal(platform)));
  if (findings.some((one) => one.ok && one.part === "gateway database"))
    findings.push(...(await checkChanges(platform)));
  findings.push(...checkClientAddresses(platform));
  findings.push({ part: "Node", ok: true, says: `version ${process.versions.node}` });
  return platform.databases.gateway ? findings : [notFound(platform), ...findings];
}

/** Lets the portal check its mail server and its sign-in provider, because only the portal has their settings. */
async function checkServersOfPortal(platform: Platform): Promise<Finding[]> {
  const answer = await onPortal(platform, (portal) => portal.checkServers({})).catch(() => undefined);
  // The portal is of an earlier release, or was stopped just now.
  return (answer?.findings ?? []).map(({ part, ok, says, advice, encryption }) => ({
    ...{ part, ok, says },
    ...(advice !== undefined && { advice }),
    ...(encryption && { encryption: toEncryption(encryption) }),
  }));
}

const DAY_SECONDS = 86_400;

/** Says if no portal reads the changes of accounts: the platform has none, or the oldest change has waited for more than a day. */
async function checkChanges(platform: Platform): Promise<Finding[]> {
  const changes = await onGateway(platform, readWaitingChanges).catch(() => undefined);
  // The database is of an earlier release, or was stopped just now.
  if (!changes) return [];
  const { waiting, oldestSeconds } = changes;
  const part = "audit log";
  if (platform.services.portal === undefined) {
    const says = `nobody reads the changes of accounts (${waiting} waiting), because PORTAL_URL is not set: the platform has no portal`;
    return [{ part, ok: true, says }];
  }
  if (oldestSeconds <= DAY_SECONDS) return [];
  const says = `nobody reads the changes of accounts: ${waiting} are waiting, the oldest for ${Math.floor(oldestSeconds / 3_600)} h`;
  return [{ part, ok: false, says, advice: "The log of the portal says why it does not read them." }];
}

function toEncryption({ encrypted, protocol, certificate }: EncryptionMessage): Encryption {
  return {
    encrypted,
    ...(protocol !== undefined && { protocol }),
    ...(certificate && { certificate: plain(certificate) }),
  };
}

/** Checks whether the gateway sees the IP addresses of its clients. Otherwise rate limits and the audit log see only the proxy. */
function checkClientAddresses({ proxiesBehindHttps: trusted }: Platform): Finding[] {
  if (trusted === undefined) return [];
  const part = "client addresses";
  if (trusted > 0)
    return [{ part, ok: true, says: `as reported by ${trusted} trusted ${trusted === 1 ? "proxy" : "proxies"}` }];
  const says =
    "PUBLIC_URL is https, so a proxy is in front of the gateway, but TRUSTED_PROXIES is 0: all clients have the proxy's IP address and share its limits";
  const advice = "Set TRUSTED_PROXIES of the gateway to the number of proxies that a request passes, usually 1.";
  return [{ part, ok: false, says, advice }];
}

/** Checks whether a part's events are published and received. The thresholds are those of the alerts. */
async function checkEvents(platform: Platform, part: (typeof PUBLISHERS)[number]): Promise<Finding[]> {
  const outbox = await callService(platform, part, OwnerOperationsService, (owner) => owner.getOutbox({})).catch(
    () => undefined,
  );
  // The part is of an earlier release, or was stopped just now.
  if (!outbox) return [];
  const { unpublished, oldestSeconds, oldestMissingSeconds } = outbox;
  const says = (problem: string, advice: string) => [{ part: `${part} events`, ok: false, says: problem, advice }];
  if (oldestSeconds > 30)
    return says(
      `the event bus accepts none: ${unpublished} are waiting, the oldest for ${Math.round(oldestSeconds)} s`,
      `The logs of ${part} and webhooks say what NATS refuses.`,
    );
  if (oldestMissingSeconds > 300)
    return says(
      `NATS has stored them, but webhooks does not receive them; the oldest is ${Math.round(oldestMissingSeconds)} s old`,
      "The log of webhooks says why it consumes no events.",
    );
  return [{ part: `${part} events`, ok: true, says: "published and received" }];
}

const known = (urls: Partial<PerPart>) =>
  Object.entries(urls).filter((entry): entry is [Part, string] => entry[1] !== undefined);

const splitUrls = (urls: string | undefined) => urls?.split(",").map((url) => url.trim()) ?? [];

function addAuditList(admin: AdminCommand, { print, platform }: Tools): void {
  admin
    .command("audit")
    .description("Look up the changes that operators made with these commands")
    .examples("list")
    .command("list")
    .description("List changes, newest first")
    .examples("", "--limit 20 --json")
    .addOption(limitOption())
    .option("--before <act-id>", "only changes older than this one, for the next page")
    .reads(async (page: { limit: number; before?: string }) => {
      const acts = await onGateway(await platform(), (deps) => listActs(deps, page));
      print(acts, toTable(["AT", "OPERATOR", "HOST", "COMMAND", "OUTCOME", "ID"], acts.map(actRow)));
    });
}

function actRow({ id, at, operator, host, command, arguments: given, outcome, reason }: LoggedAct): string[] {
  return [at.toISOString(), operator, host, `${command} ${given}`, reason ? `${outcome}: ${reason}` : outcome, id];
}
