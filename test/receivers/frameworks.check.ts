import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { packedClient } from "../client/packed-client.js";
import { languages, recipeFiles } from "../vectors/recipe-languages.js";
import { deliveriesUnderTest } from "./deliveries.js";
import { NEST, NEXT } from "./frameworks.js";
import { exampleOf } from "./guide.js";
import { judge, whileReceiving } from "./judge.js";

const run = promisify(execFile);
const recipes = join(import.meta.dirname, "../../docs/webhook-recipes.md");
const deliveries = deliveriesUnderTest();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-frameworks-"));
});
afterEach(() => rm(folder, { recursive: true }));
afterAll(() => deliveries.end());

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), text);
}

const bring = (program: string, as = program) =>
  copyFile(join(import.meta.dirname, "programs", program), join(folder, as));

/** The function `verify` of a language's recipe. */
async function writeVerify(language: string): Promise<void> {
  const { fence = "" } = languages.find(({ name }) => name === language) ?? {};
  const [[file, code]] = recipeFiles(await readFile(recipes, "utf8"), { fence }) as unknown as [[string, string]];
  await write(file, code);
}

async function shell(command: string): Promise<void> {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
  await run("bash", ["-euo", "pipefail", "-c", command], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 }).catch(
    (error) => {
      throw new Error(`${command}\nended with ${error.code}.\n${`${error.stdout}${error.stderr}`.slice(-8000)}`);
    },
  );
}

/** Installs packages of npm, the client, and a compiler that all of them support. */
async function install(...packages: string[]): Promise<void> {
  await write("package.json", JSON.stringify({ private: true }));
  await shell(`npm install --no-audit --no-fund typescript@5.9 @types/node@20 ${packages.join(" ")} ${packedClient()}`);
}

test("Next.js takes deliveries in both routers, and refuses forgeries", async () => {
  await install(...NEXT);
  await write("app/webhooks/route.ts", exampleOf("Next.js, app router in ts"));
  await write("pages/api/webhooks.ts", exampleOf("Next.js, pages router in ts"));
  await bring("store.mts", "store.ts");
  await shell("npx next build");
  const command = (port: number) =>
    [process.execPath, "node_modules/next/dist/bin/next", "start", "-p", String(port)] as const;
  for (const path of ["/webhooks", "/api/webhooks"]) await judge({ folder, command, path }, deliveries);
});

test("NestJS takes deliveries, and refuses forgeries", async () => {
  await install(...NEST);
  await write("webhooks.controller.ts", exampleOf("NestJS in ts"));
  await bring("nest.mts", "main.ts");
  await bring("store.mts", "store.ts");
  await shell("npm pkg set type=module");
  await shell(
    "npx tsc --strict --target es2023 --module nodenext --experimentalDecorators --emitDecoratorMetadata --skipLibCheck --types node --outDir dist main.ts",
  );
  await judge({ folder, command: () => [process.execPath, "dist/main.js"] }, deliveries);
});

test("Rails takes deliveries, and refuses forgeries", async () => {
  await writeVerify("Ruby");
  await write("app/controllers/webhooks_controller.rb", exampleOf("Ruby on Rails in ruby"));
  await bring("rails.rb");
  await judge({ folder, command: () => ["ruby", "rails.rb"] }, deliveries);
});

test("Laravel takes deliveries, and refuses forgeries", async () => {
  await writeVerify("PHP");
  await write("routes/api.php", exampleOf("Laravel in php"));
  await bring("laravel.php");
  await judge({ folder, command: (port) => ["php", "-S", `localhost:${port}`, "laravel.php"] }, deliveries);
});

describe("Java", () => {
  async function compile(main: string): Promise<(port: number) => [string, ...string[]]> {
    await writeVerify("Java");
    for (const file of ["pom.xml", "Store.java", `${main}.java`]) await bring(file);
    await shell(
      "mvn -q dependency:copy-dependencies -DoutputDirectory=lib && javac -parameters -cp 'lib/*' -d classes *.java",
    );
    return (port) => ["java", "-cp", "classes:lib/*", main, `--server.port=${port}`];
  }

  test("Spring takes deliveries, and refuses forgeries", async () => {
    await write("WebhookController.java", exampleOf("Spring in java"));
    const command = await compile("SpringReceiver");
    await judge({ folder, command }, deliveries);
  });

  test("getReader() of Tomcat reads the text of deliveries as it was, because they name its encoding", async () => {
    const command = await compile("ReaderReceiver");
    await judge({ folder, command }, deliveries);
    await whileReceiving({ folder, command }, async (url) => {
      const { headers, body } = await deliveries.caught();
      const statuses = ["application/json", "application/json; charset=utf-8"].map(async (type) => {
        const sent = { "content-type": type, "service-signature": headers["service-signature"] ?? "" };
        return (await fetch(url, { method: "POST", headers: sent, body: new Uint8Array(body) })).status;
      });
      expect(await Promise.all(statuses)).toEqual([400, 204]);
    });
  });
});
