import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchCluster } from "./launch-cluster.js";
import { type Shared, serveShared } from "./serve-shared.js";
import { share } from "./share.js";
import { errorsInLogs, startSharedProcess } from "./shared-process.js";

// Every test that needs a platform which did not start must fail with the reason, not with a timeout or an undefined value.

describe("a shared platform that does not start", () => {
  let served: Awaited<ReturnType<typeof serveShared>>;
  let starts: number;
  const start = async (): Promise<Shared> => {
    starts++;
    return startSharedProcess(["--eval", 'console.error("cannot listen: EADDRINUSE"); process.exit(3)'], { env: {} });
  };
  const { TEST_SHARED_URL } = process.env;
  beforeEach(async () => {
    starts = 0;
    jest.spyOn(process.stderr, "write").mockReturnValue(true);
    served = await serveShared({ stack: start });
    process.env.TEST_SHARED_URL = served.url;
  });
  afterEach(async () => {
    process.env.TEST_SHARED_URL = TEST_SHARED_URL;
    await served.stop();
  });

  test("gives each test file the cause, and is started once", async () => {
    const why =
      "The stack that tests share did not start: Its process ended (exit 3). It wrote: cannot listen: EADDRINUSE";
    for (let file = 0; file < 3; file++) await expect(share("stack")).rejects.toThrow(why);
    expect(starts).toBe(1);
  });
});

test("a shared process that says nothing is named with what it wrote, and ended", async () => {
  jest.spyOn(process.stderr, "write").mockReturnValue(true);
  const silent = 'console.error("waiting for a database"); setInterval(() => {}, 1000)';
  await expect(startSharedProcess(["--eval", silent], { env: {}, withinMs: 500 })).rejects.toThrow(
    /^Its process was not ready after 0\.5 s\. It wrote: (?:waiting for a database|nothing)$/,
  );
});

describe("a cluster that does not start", () => {
  let checkout: string;
  beforeEach(async () => {
    checkout = await mkdtemp(join(tmpdir(), "failed-start-"));
    await mkdir(join(checkout, "deploy/local/dist/cluster"), { recursive: true });
  });
  afterEach(() => rm(checkout, { recursive: true }));

  /** Launches a cluster whose launcher is this script. */
  async function launch(script: string, withinMs?: number) {
    await writeFile(join(checkout, "package.json"), '{"type":"module"}');
    await writeFile(join(checkout, "deploy/local/dist/cluster/main.js"), script);
    return launchCluster([], {}, { checkout, ...(withinMs !== undefined && { withinMs }) });
  }

  test("names what its launcher wrote, if that ends", async () => {
    await expect(launch('console.log("Port 8080 is in use."); process.exitCode = 1;')).rejects.toThrow(
      "The cluster ended with exit 1. It wrote: Port 8080 is in use.",
    );
  });

  test("is ended after its time, and named as not ready", async () => {
    await expect(launch("setInterval(() => {}, 1000)", 500)).rejects.toThrow(
      "The cluster was not ready after 0.5 s. It wrote: ",
    );
  });

  test("names the last error of each of its processes", async () => {
    const logs = join(checkout, "logs");
    await mkdir(logs);
    await writeFile(
      join(logs, "records-1.log"),
      '{"level":"fatal","msg":"PORT: must be a number"}\n{"level":"info"}\n',
    );
    await writeFile(join(logs, "tracking-1.log"), '{"level":"info"}\n');
    expect(await errorsInLogs(checkout)).toEqual(['records-1: {"level":"fatal","msg":"PORT: must be a number"}']);
    expect(await errorsInLogs(join(checkout, "elsewhere"))).toEqual([]);
  });
});
