import { lookup } from "node:dns/promises";
import { createClient } from "@connectrpc/connect";
import { silentLog } from "@shipping/kit/process/log";
import { connectTo } from "@shipping/kit/rpc/client";
import { ANSWER_MS, type Finding } from "@shipping/kit/service/finding";
import { bareHost } from "@shipping/kit/tls/tls";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import type { Platform } from "./find-platform.js";
import type { Part } from "./parts.js";

/** The build that one replica of a part runs. */
export interface Build {
  part: Part;
  version: string;
  revision: string;
  /** The host name and process ID of the replica. */
  process: string;
  /** The most connections that it opens to its database; 0 in an earlier release. */
  maxDatabaseConnections: number;
}

/** Asks every replica of a part, at each IP address behind these URLs. One that does not answer is left out, because doctor names it elsewhere. */
export async function readBuilds(platform: Platform, part: Part, urls: readonly string[]): Promise<Build[]> {
  const answers = await Promise.all(
    urls.map(async (url) => {
      const found = await lookup(bareHost(new URL(url)), { all: true }).catch(() => []);
      return Promise.all(found.map(({ address }) => readBuild(platform, part, { url, address })));
    }),
  );
  const builds = answers.flat().filter((build) => build !== undefined);
  // One replica can have several IP addresses.
  const byProcess = new Map(builds.map((build) => [build.process, build]));
  return [...byProcess.values()].sort((one, other) => one.process.localeCompare(other.process));
}

async function readBuild(
  { tls, token }: Platform,
  part: Part,
  { url, address }: { url: string; address: string },
): Promise<Build | undefined> {
  const transport = connectTo({ urls: url, log: silentLog(), tls, token, resolve: async () => [address] });
  try {
    const { version, revision, process, maxDatabaseConnections } = await createClient(
      OwnerOperationsService,
      transport,
    ).getBuild({}, { timeoutMs: ANSWER_MS });
    return { part, version, revision, process, maxDatabaseConnections };
  } catch {
    return undefined;
  } finally {
    await transport.close();
  }
}

const nameOf = ({ version, revision }: Build) => `${version} (${revision})`;

/** Says what each replica runs, and in one more line whether they differ, which is no failure. */
export function describeBuilds(builds: readonly Build[]): Finding[] {
  const each = builds.map((build) => ({
    ...{ part: `${build.part} build`, ok: true },
    says: `${nameOf(build)} in process ${build.process}`,
  }));
  const names = [...new Set(builds.map(nameOf))].sort();
  if (names.length < 2) return each;
  const partsWith = (name: string) => [
    ...new Set(builds.filter((build) => nameOf(build) === name).map(({ part }) => part)),
  ];
  const mixed = [...new Set(builds.map(({ part }) => part))].filter(
    (part) => names.filter((name) => partsWith(name).includes(part)).length > 1,
  );
  const says = `they differ: ${names.map((name) => `${name} in ${partsWith(name).join(", ")}`).join("; ")}`;
  const advice = `Replicas of ${mixed.join(" and of ")} differ, which is right only while a rollout runs.`;
  return [...each, { part: "builds", ok: true, says, ...(mixed.length > 0 && { advice }) }];
}
