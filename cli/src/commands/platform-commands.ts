import { SETTLE_MS } from "@shipping/kit/derived/keep-derived";
import type { Finding } from "@shipping/kit/service/finding";
import { describeEncryption } from "@shipping/kit/tls/encryption";
import { PUBLISHERS } from "@shipping/proto/parts";
import type { Act } from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { CommanderError, InvalidArgumentError, Option } from "commander";
import { onAccounts, onOwner, onPortal, toFinding } from "../platform/call-parts.js";
import { checkApi, checkBus, checkEgressProxy, checkService } from "../platform/check-parts.js";
import { compareConnections, type PartOnServer } from "../platform/compare-connections.js";
import { notFound, type Platform } from "../platform/find-platform.js";
import { type Part, parts } from "../platform/parts.js";
import { plain } from "../platform/plain.js";
import { describeBuilds, readBuilds } from "../platform/read-builds.js";
import { readPages } from "../platform/read-pages.js";
import { listDifferences } from "../platform/walk-derived.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";
import { limitOption } from "../tools/options.js";
import { toTable } from "../tools/print.js";
import { checkStream } from "./bus-commands.js";
import { checkDerived, type DerivedFinding } from "./derived-commands.js";

export function addPlatformCommands(admin: AdminCommand, tools: Tools): void {
  addAuditList(admin, tools);
  addDoctor(admin, tools);
}

function addDoctor(admin: AdminCommand, { print, platform }: Tools): void {
  admin
    .command("doctor")
    .description(
      "Check what is reachable, migrated and encrypted, say what to do if it is not, and which release each process runs",
    )
    .examples("", "--deep")
    .option("--deep", "also compare all derived rows with their source, which reads every row once")
    .addOption(
      new Option("--wait <seconds>", "with --deep: how long a row must be wrong")
        .default(SETTLE_MS / 1_000)
        .argParser(toSeconds),
    )
    .reads(async ({ deep = false, wait }: { deep?: boolean; wait: number }) => {
      const findings = await checkPlatform(await platform(), deep ? wait * 1_000 : undefined);
      const lines = findings.flatMap(({ part, ok, says, advice, encryption, differences = [] }) => [
        `${ok ? "ok" : "!!"}  ${part}: ${says}`,
        ...listDifferences(differences),
        ...(encryption ? [`    ${describeEncryption(encryption)}`] : []),
        ...(advice ? [`    ${advice}`] : []),
      ]);
      const ok = findings.every((finding) => finding.ok);
      print({ ok, findings }, lines.join("\n"));
      if (!ok) throw new CommanderError(1, "admin.doctor", "at least one check failed");
    });
}

function toSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !(seconds >= 0 && seconds <= MAX_WAIT_SECONDS))
    throw new InvalidArgumentError(`Use a number of seconds, at most ${MAX_WAIT_SECONDS}.`);
  return seconds;
}

/** Checks each part whose URL is known: whether it is serving, and what it says of its own servers. A part that is down hides no other. */
async function checkPlatform(platform: Platform, deepWaitMs: number | undefined): Promise<DerivedFinding[]> {
  const findings: DerivedFinding[] = await Promise.all([
    ...parts.flatMap((part) => splitUrls(platform.rpc[part]).map((url) => checkService(part, url, platform))),
    ...splitUrls(platform.api).map((url) => checkApi(url)),
    ...splitUrls(platform.bus).map((url) => checkBus(url, platform.busAuthority)),
    ...(platform.egressProxy ? [checkEgressProxy(platform.egressProxy)] : []),
  ]);
  const isServing = (part: Part) => findings.some((one) => one.ok && one.part === `${part} service`);
  const serving = parts.filter(isServing);
  const onServers: PartOnServer[] = [];
  const further = await Promise.all([
    ...serving.map((part) => checkServers(platform, part, (server) => onServers.push({ part, server }))),
    ...PUBLISHERS.filter(isServing).map((part) => checkEvents(platform, part)),
    ...(isServing("webhooks") ? [checkStream(platform)] : []),
    ...(isServing("portal") ? [checkServersOfPortal(platform)] : []),
    ...(isServing("gateway") ? [checkChanges(platform)] : []),
  ]);
  const builds = await Promise.all(serving.map((part) => readBuilds(platform, part, splitUrls(platform.rpc[part]))));
  if (deepWaitMs !== undefined) {
    const derived = await Promise.all(serving.map((part) => checkDerived(platform, part, deepWaitMs)));
    findings.push(...derived.flat());
  }
  findings.push(...further.flat(), ...compareConnections(onServers, builds.flat()), ...describeBuilds(builds.flat()), {
    part: "Node",
    ok: true,
    says: `version ${process.versions.node}`,
  });
  return platform.rpc.gateway ? findings : [notFound(platform), ...findings];
}

/** Lets a part check its own database and settings, which only the part has. `onServer` gets its PostgreSQL server. */
async function checkServers(
  platform: Platform,
  part: Part,
  onServer: (server: PartOnServer["server"]) => void,
): Promise<Finding[]> {
  const check = onOwner(platform, part, (owner) => owner.checkServers({}));
  const answer = await orNothing(check);
  if (answer?.databaseServer) onServer(answer.databaseServer);
  return answer?.findings.map((finding) => toFinding(part, finding)) ?? [];
}

/** Lets the portal check its mail server and its sign-in provider. */
async function checkServersOfPortal(platform: Platform): Promise<Finding[]> {
  const check = onPortal(platform, (portal) => portal.checkServers({}));
  return (await orNothing(check))?.findings.map((finding) => toFinding("portal", finding)) ?? [];
}

/** Returns undefined for a part that is of an earlier release, or was stopped just now. */
const orNothing = <T>(call: Promise<T>): Promise<T | undefined> => call.catch(() => undefined);

const DAY_SECONDS = 86_400;
const MAX_WAIT_SECONDS = 600;

/** Says if no portal reads the changes of accounts: the platform has none, or the oldest change has waited for more than a day. */
async function checkChanges(platform: Platform): Promise<Finding[]> {
  const changes = await orNothing(onAccounts(platform, (gateway) => gateway.countWaitingChanges({})));
  if (!changes) return [];
  const { waiting, oldestSeconds } = changes;
  const part = "audit log";
  if (platform.rpc.portal === undefined) {
    const says = `nobody reads the changes of accounts (${waiting} waiting), because PORTAL_URL is not set: the platform has no portal`;
    return [{ part, ok: true, says }];
  }
  if (oldestSeconds <= DAY_SECONDS) return [];
  const says = `nobody reads the changes of accounts: ${waiting} are waiting, the oldest for ${Math.floor(oldestSeconds / 3_600)} h`;
  return [{ part, ok: false, says, advice: "The log of the portal says why it does not read them." }];
}

/** Checks whether a part's events are published and received. The thresholds are those of the alerts. */
async function checkEvents(platform: Platform, part: (typeof PUBLISHERS)[number]): Promise<Finding[]> {
  const outbox = await orNothing(onOwner(platform, part, (owner) => owner.getOutbox({})));
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
      const { limit, before } = page;
      const acts = await onAccounts(await platform(), (gateway) =>
        readPages(limit, async ({ after = before, ...one }) => {
          const { acts, nextCursor } = await gateway.listActs({
            ...one,
            ...(after !== undefined && { before: after }),
          });
          return { rows: acts, nextCursor };
        }),
      );
      print(acts.map(plain), toTable(["AT", "OPERATOR", "HOST", "COMMAND", "OUTCOME", "ID"], acts.map(actRow)));
    });
}

function actRow({ id, at, operator, host, command, arguments: given, outcome, reason }: Act): string[] {
  return [at, operator, host, `${command} ${given}`, reason ? `${outcome}: ${reason}` : outcome, id];
}
