import { chmod, lstat, mkdir, mkdtemp, readlink, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getuid } from "node:process";
import { startEmbeddedPostgres } from "./embedded-postgres.js";
import { findInstallationPaths } from "./installation-paths.js";

const root = getuid?.() === 0;
let folder: string;
let dataDir: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "installation-paths-"));
  dataDir = join(folder, "postgres");
});

afterEach(() => rm(folder, { recursive: true }));

test("the programs are complete: the links that npm packages cannot hold are made", async () => {
  await chmod(folder, 0o755);
  const { bin } = await findInstallationPaths(dataDir);
  for (const program of ["bin/initdb", "bin/postgres", "lib/libpq.so.5"]) {
    expect((await stat(join(bin, "..", program))).isFile()).toBe(true);
  }
});

function asRoot(): void {
  test("PostgreSQL runs as the user nobody, in the folder itself if that user can reach it", async () => {
    await chmod(folder, 0o755);
    const paths = await findInstallationPaths(dataDir);
    expect(paths.data).toBe(dataDir);
    expect(paths.user?.uid).toBeGreaterThan(0);
  });

  test("a folder that only root can enter gets a link to a database elsewhere, the same after a restart", async () => {
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const postgres = await startEmbeddedPostgres({ dataDir });
    await postgres.stop();
    expect((await lstat(dataDir)).isSymbolicLink()).toBe(true);
    const data = await realpath(dataDir);
    expect((await findInstallationPaths(dataDir)).data).toBe(data);
    const again = await startEmbeddedPostgres({ dataDir });
    await again.stop();
    await rm(dirname(data), { recursive: true });
  });

  test("a database that has disappeared from its place elsewhere is not replaced by an empty one", async () => {
    await findInstallationPaths(dataDir);
    await rm(dirname(await readlink(dataDir)), { recursive: true });
    await expect(findInstallationPaths(dataDir)).rejects.toThrow(
      /which no longer exists\. To start with an empty database, delete/,
    );
  });

  test("a database that is no longer reachable is named in the error", async () => {
    await mkdir(dataDir);
    await expect(findInstallationPaths(dataDir)).rejects.toThrow(/cannot access .*\. Move the folder/);
  });
}

function asOrdinaryUser(): void {
  test("PostgreSQL runs as that user, in the folder itself, whatever its permissions", async () => {
    const paths = await findInstallationPaths(dataDir);
    expect(paths).toMatchObject({ data: dataDir });
    expect(paths.user).toBeUndefined();
  });
}

// The expectation depends on who runs the tests.
if (root) describe("as root, which PostgreSQL refuses to be", asRoot);
else describe("as an ordinary user", asOrdinaryUser);
