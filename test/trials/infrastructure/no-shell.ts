import { execFile, execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parts } from "@shipping/local/parts";
import { PARTS } from "@shipping/proto/parts";
import { type ClusterUnderTest, startCluster } from "../../platform/cluster.js";
import { ONE_OF_EACH } from "../../platform/launch-cluster.js";
import { startLoad } from "../failover/load.js";
import { verdict } from "../failover/verdict.js";
import type { Report, Say } from "../kit/report.js";
import { withFolder } from "../kit/with-folder.js";
import { newPorts, type Ports, startAnother, startedWith } from "./another-process.js";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
const LOAD_MS = 10_000;
const LOOK = `console.log(require("fs").readdirSync("/").concat(["/bin/sh", "/usr/bin/env"].filter(require("fs").existsSync)).join(" "))`;

/**
 * Starts every part by the command of its image where there is no shell, no /usr/bin/env and nothing else but node and the libraries that it is
 * linked with, as in a distroless image. They serve the workload beside their twins; the image's probe, a migration and `admin` run there, too.
 */
export const noShellRow = (say: Say): Promise<Report> =>
  withFolder(async (folder, ends) => {
    const enter = await makeRoot(folder);
    const dockerfile = await readFile(join(REPOSITORY, "deploy/Dockerfile"), "utf8");
    const commands = [...dockerfile.matchAll(/CMD (\["node".*\])$/gm)].map(
      ([, json = ""]) => JSON.parse(json) as string[],
    );
    // Node 20, with which a trial may run, does not know the flag of the image's Node.
    const known = commands.map((command) => command.filter((word) => word !== "--disable-sigusr1"));
    const [probe = [], start = []] = known.slice(-2);
    const [look = "", ...ls] = enter("/", ["node", "-e", LOOK]);
    const root = execFileSync(look, ls, { encoding: "utf8", env: PATH_OF_IMAGE }).trim();
    say(`the root has ${root}`);
    const cluster = await startCluster(ONE_OF_EACH, { RATE_LIMIT_PER_MINUTE: "1000000" });
    ends.push(() => cluster.stop());
    const ports = Object.fromEntries(await Promise.all(parts.map(async (part) => [part, await newPorts()] as const)));
    const moved = await movedPorts(cluster, ports);
    const twins = await Promise.all(
      parts.map(async (part) => {
        const twin = await startAnother(cluster, `${part}-1`, {
          ports: ports[part]!,
          log: join(folder, `${part}.log`),
          adapt: (env) => ({
            ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, moved(text)])),
            ...PATH_OF_IMAGE,
          }),
          run: () => enter(`/app/${PARTS[part].folder}`, start),
        });
        ends.push(() => twin.kill());
        return [part, twin] as const;
      }),
    );
    for (const [part, twin] of twins) await twin.ready().then(() => say(`${part} is ready`));
    const gateway = Object.fromEntries(twins).gateway!;
    const { env } = await startedWith((await cluster.process("records-1")).pid);
    const within = async (cwd: string, command: string[], more: object = {}) => {
      const [program = "", ...args] = enter(cwd, command);
      return promisify(execFile)(program, args, { env: { ...env, ...PATH_OF_IMAGE, ...more } }).then(
        () => "done",
        (error) => `failed: ${error.message} ${error.stdout}`.slice(0, 400),
      );
    };
    const ran = {
      probe: await within("/app/services/records", probe, { OPS_PORT: String(ports.records!.OPS_PORT) }),
      migration: await within("/app/services/records", ["node", "/app/node_modules/.bin/migrate"]),
      admin: await within("/app", ["node", "/app/node_modules/.bin/admin", "outbox", "status"], {
        DATA_DIR: cluster.dataDir,
      }),
    };
    const load = await startLoad({ ...cluster, gateways: [`${gateway.url}/api/v1`] }, { clients: 4 });
    await sleep(LOAD_MS);
    return verdict(say, cluster, load, {
      figures: { root, ready: twins.map(([part]) => part), ...ran },
      promises: [
        [!/\/bin\/sh|\/usr\/bin\/env/.test(root), "The processes could reach a shell."],
        ...Object.entries(ran).map(([what, how]) => [how === "done", `The ${what} ${how}.`] as const),
        [Object.keys(load.attempts.seen().failed).length === 0, "A request failed."],
      ],
    });
  });

const PATH_OF_IMAGE = { PATH: "/app/node_modules/.bin:/nodejs/bin" };

/** Makes a root like that of a distroless image, and returns how a command runs in it. It needs root: it mounts. */
async function makeRoot(folder: string): Promise<(cwd: string, command: string[]) => string[]> {
  const root = join(folder, "root");
  const { stdout } = await promisify(execFile)("ldd", [process.execPath]);
  const libraries = [...new Set([...stdout.matchAll(/(\/\S+)/g)].map(([, path = ""]) => path))];
  const files = [...libraries.map((path) => [path, path]), [process.execPath, "/nodejs/bin/node"]] as [
    string,
    string,
  ][];
  const folders: [string, string][] = [
    [REPOSITORY, "/app"],
    ...["/tmp", "/proc", "/dev", "/etc/ssl"].map((path): [string, string] => [path, path]),
  ];
  for (const [, to] of folders) await mkdir(join(root, to), { recursive: true });
  for (const [, to] of files) {
    await mkdir(dirname(join(root, to)), { recursive: true });
    await writeFile(join(root, to), "");
  }
  await writeFile(join(root, "etc/passwd"), "nonroot:x:10001:10001::/:/sbin/nologin\n");
  const mounts = [...folders, ...files].map(([from, to]) => `/usr/bin/mount --rbind '${from}' '${root}${to}'`);
  const script = join(folder, "enter.sh");
  const enter = `cwd=$1; shift; exec /usr/bin/unshare --root='${root}' --wd="$cwd" -- "$@"`;
  await writeFile(script, ["set -e", ...mounts, enter].join("\n"));
  return (cwd, command) => ["/usr/bin/unshare", "--mount", "/bin/sh", script, cwd, ...command];
}

/** Replaces the RPC ports of the cluster's processes by those of their twins. */
async function movedPorts(cluster: ClusterUnderTest, ports: Record<string, Ports>): Promise<(text: string) => string> {
  const pairs = await Promise.all(
    parts.map(async (part) => {
      const { env } = await startedWith((await cluster.process(`${part}-1`)).pid);
      return [`:${env.RPC_PORT}`, `:${ports[part]!.RPC_PORT}`] as const;
    }),
  );
  return (text) => pairs.reduce((rest, [from, to]) => rest.replaceAll(new RegExp(`${from}\\b`, "g"), to), text);
}
