import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Stack, startStack } from "../../platform/stack.js";
import { startTomorrow, type TomorrowsPlatform } from "./tomorrow.js";

const run = promisify(execFile);

/** A generator of clients, and the commands that its user types. */
export interface Generator {
  /** The name and the version of the generator. */
  name: string;
  language: string;
  /** The document that it reads. */
  document: "openapi.json" | "openapi-3.0.json";
  /** The programs that it needs, by how to install them. */
  needs: Readonly<Record<string, string>>;
  /** Gets the generator. */
  get?: string;
  /** Writes the client from the document, which is in the folder. */
  generate: string;
  client: Played | NotPlayed;
}

interface Played {
  /** Installs the client's dependencies, and compiles it if necessary. */
  build: string;
  /** The folder in `programs` of the program that plays the corridor, and how this is run. */
  folder: string;
  play: string;
  /** The folder in `programs` of the files that it shares with others. */
  shared?: string;
}

interface NotPlayed {
  /** Why the client is generated, but neither compiled nor run. */
  notPlayed: string;
}

/** The final output of each program. */
interface Result {
  label: string;
  pdf: string;
  status: string;
  tracking: string;
  listed: boolean;
  secret: boolean;
  refusal: string;
  fields: string[];
}

const PROGRAMS = join(import.meta.dirname, "programs");

/** For each generator: it accepts the document, its client compiles, and goes from an order to a voided label, today and tomorrow. */
export function describeGenerators(generators: readonly Generator[]): void {
  let folder: string;
  let stack: Stack;
  let tomorrow: TomorrowsPlatform;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "shipping-generators-"));
    stack = await startStack({ requestsPerMinute: 100_000 });
    tomorrow = await startTomorrow(stack.baseUrl);
  });
  afterAll(async () => {
    await tomorrow?.stop();
    await stack?.stop();
    await rm(folder, { recursive: true });
  });

  describe.each(generators)("$name for $language", (generator) => {
    let own: string;
    const shell = async (command: string, env: Record<string, string> = {}) => {
      const options = { cwd: own, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
      const { stdout } = await run("bash", ["-euo", "pipefail", "-c", command], options).catch((error) => {
        throw new Error(`${command}\nended with ${error.code}.\n${`${error.stdout}${error.stderr}`.slice(-8000)}`);
      });
      return stdout;
    };
    const play = async (command: string, url: string): Promise<Result> => {
      const { sandbox } = await stack.newCustomer();
      const printed = await shell(command, { SHIPPING_URL: url, SHIPPING_KEY: sandbox });
      return JSON.parse(printed.trim().split("\n").at(-1) ?? "");
    };
    const expected = (suffix: string): Result => ({
      label: expect.stringMatching(/^lbl_/),
      pdf: "%PDF-",
      status: `voided${suffix}`,
      tracking: `voided${suffix}`,
      listed: true,
      secret: true,
      refusal: `invalid_request${suffix}`,
      fields: ["to.name"],
    });

    const { client } = generator;

    const compiles = "build" in client ? ", and its client compiles" : "";
    test(`takes the document${compiles}`, async () => {
      own = join(folder, `${generator.name}-${generator.language}`.replaceAll(/\W+/g, "-"));
      await mkdir(own);
      for (const [program, remedy] of Object.entries(generator.needs))
        await shell(`command -v ${program}`).catch(() => {
          throw new Error(`${generator.name} needs ${program}, which is missing. ${remedy}`);
        });
      const document = await fetch(`${stack.baseUrl}/${generator.document}`);
      await writeFile(join(own, generator.document), await document.text());
      for (const copied of "folder" in client ? [client.folder, client.shared ?? []].flat() : [])
        await cp(join(PROGRAMS, copied), own, { recursive: true });
      if (generator.get) await shell(generator.get);
      await shell(generator.generate);
      if ("build" in client) await shell(client.build);
    }, 900_000);

    if ("notPlayed" in client) return;

    test("plays from an order to a voided label", async () => {
      expect(await play(client.play, stack.baseUrl)).toEqual(expected(""));
    }, 120_000);

    test("reads the answers of a later version", async () => {
      expect(await play(client.play, tomorrow.baseUrl)).toEqual(expected("_tomorrow"));
    }, 120_000);
  });
}
