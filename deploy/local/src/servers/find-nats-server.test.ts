import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findNatsServer } from "./find-nats-server.js";

let folder: string;
let cached: string;
let said: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "find-nats-"));
  cached = join(folder, "cache", "shipping-platform", "nats-server");
  said = [];
});

afterEach(() => rm(folder, { recursive: true }));

/** Replaces a program of the machine, because the search depends on which programs it finds. */
async function program(path: string, script: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
  await chmod(path, 0o755);
}

function find() {
  const env = { PATH: join(folder, "bin"), XDG_CACHE_HOME: join(folder, "cache") };
  return findNatsServer({ env, say: (line) => said.push(line) });
}

const WRITES_SERVER = 'printf "#!/bin/sh\\nexit 0\\n" > "$TARGET" && chmod 755 "$TARGET"';

describe("findNatsServer", () => {
  test("takes the one on the PATH first", async () => {
    await program(join(folder, "bin", "nats-server"), "exit 0");
    await program(cached, "exit 0");
    expect(await find()).toEqual({ path: "nats-server" });
  });

  test("then the one it has fetched before, silently", async () => {
    await program(cached, "exit 0");
    await program(join(folder, "bin", "go"), "exit 1");
    expect(await find()).toEqual({ path: cached });
    expect(said).toEqual([]);
  });

  test("skips one that is too old for the platform, and logs it", async () => {
    await program(join(folder, "bin", "nats-server"), "echo nats-server: v2.8.4");
    await program(cached, "echo nats-server: v2.9.10");
    expect(await find()).toEqual({ path: cached });
    expect(said).toEqual(["Skipping nats-server: nats-server 2.8.4 is too old. Install version 2.9 or newer."]);
  });

  test("builds it with Go, and leaves no other file in the cache", async () => {
    await program(
      join(folder, "bin", "go"),
      `[ "$1" = version ] && exit 0; TARGET="$GOBIN/nats-server"; ${WRITES_SERVER}`,
    );
    expect(await find()).toEqual({ path: cached });
    expect(said).toEqual([expect.stringContaining("with Go")]);
    expect(await readdir(dirname(cached))).toEqual(["nats-server"]);
    said = [];
    expect(await find()).toEqual({ path: cached });
    expect(said).toEqual([]);
  });

  test("falls back to Debian's package if Go fails", async () => {
    await program(join(folder, "bin", "go"), '[ "$1" = version ] || exit 1');
    await program(
      join(folder, "bin", "apt-get"),
      'for last; do :; done; [ "$last" != nats-server ] || touch nats-server_1.deb',
    );
    await program(
      join(folder, "bin", "dpkg"),
      `[ "$1" = -x ] || exit 0; mkdir -p "$3/usr/sbin"; TARGET="$3/usr/sbin/nats-server"; ${WRITES_SERVER}`,
    );
    expect(await find()).toEqual({ path: cached });
    expect(said).toEqual([expect.stringContaining("with Go"), expect.stringContaining("Debian")]);
  });

  test("does not keep a file that does not run", async () => {
    await program(join(folder, "bin", "go"), '[ "$1" = version ] || echo broken > "$GOBIN/nats-server"');
    await expect(find()).rejects.toThrow("nats-server was not found.");
    expect(await readdir(dirname(cached))).toEqual([]);
  });

  test("explains how to install it if all ways fail", async () => {
    await expect(find()).rejects.toThrow(/^nats-server was not found\. Install it on your PATH .*, or set NATS_URL\.$/);
  });
});
