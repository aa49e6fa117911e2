import { join, relative } from "node:path";
import { Command } from "commander";
import { parts } from "../parts.js";
import { otherParts } from "./checkouts.js";
import { clusterOptions } from "./options.js";

/** Parses a command line; an invalid one throws instead of ending the process. */
const read = (args: string[]) =>
  clusterOptions(args, 8080, new Command().exitOverride().configureOutput({ writeErr: () => {} }));

describe("clusterOptions", () => {
  test("understands the examples of its own help", () => {
    const said: string[] = [];
    const command = new Command().exitOverride().configureOutput({ writeOut: (text) => void said.push(text) });
    expect(() => clusterOptions(["--help"], 8080, command)).toThrow("(outputHelp)");
    const examples = [...said.join("").matchAll(/^ {2}npm run cluster(?: -- )?(.*)$/gm)].map(([, words = ""]) => words);
    expect(examples.map((words) => read(words.split(" ").filter(Boolean)))).toMatchObject([
      {},
      { replicas: { gateway: 3 }, tls: true },
      { nats: 3 },
      { one: { part: "webhooks", others: "main" } },
    ]);
  });

  test("has two processes of every part but the portal and tracking by default", () => {
    expect(read([])).toEqual({
      replicas: expect.objectContaining({ gateway: 2, portal: 1, records: 2, carrier: 2, tracking: 1, webhooks: 2 }),
      port: 8080,
      nats: 1,
      sharedBuffersMb: 128,
      tls: false,
      checkouts: {},
    });
  });

  test("takes a number for each part, the first gateway's port, PostgreSQL's cache, the size of the NATS cluster, and certificates", () => {
    const args = [
      "--gateways",
      "3",
      "--portals",
      "2",
      "--tracking=2",
      "--port",
      "0",
      "--shared-buffers-mb",
      "4096",
      "--tls",
    ];
    const { replicas, port, nats, sharedBuffersMb, tls } = read([...args, "--nats", "3"]);
    expect([nats, sharedBuffersMb, tls]).toEqual([3, 4096, true]);
    expect(replicas).toMatchObject({ gateway: 3, portal: 2, records: 2, carrier: 2, tracking: 2, webhooks: 2 });
    expect(port).toBe(0);
  });

  test("runs parts from other checkouts, where these are built", () => {
    const root = join(import.meta.dirname, "../../../..");
    const { checkouts } = read([
      "--from",
      `records=${root}`,
      "--from",
      `gateway=${relative(process.cwd(), root) || "."}`,
    ]);
    expect(checkouts).toEqual({
      records: join(root, "services/records"),
      gateway: join(root, "gateway"),
    });
    expect(() => read(["--from", "records=/nowhere"])).toThrow(
      "/nowhere/services/records/dist/main.js does not exist. Run this there first: npm ci && npm run build",
    );
  });

  test("runs one part from this checkout, and all others from a release or from another checkout", async () => {
    expect(read(["--only", "webhooks", "--others", "main"]).one).toEqual({ part: "webhooks", others: "main" });
    const root = join(import.meta.dirname, "../../../..");
    const others = await otherParts("webhooks", root, () => {});
    expect(Object.keys(others)).toEqual(parts.filter((part) => part !== "webhooks"));
    expect(others.tracking).toBe(join(root, "services/tracking"));
    await expect(otherParts("webhooks", "no-such-release", () => {})).rejects.toThrow("no commit no-such-release");
  });

  test.each([
    [["--only", "webhooks"], "--only and --others belong together, such as --only webhooks --others main."],
    [["--only", "hooks", "--others", "main"], "Use the name of a part: one of gateway, portal, records"],
    [["--from", "record=."], `Use PART=FOLDER, where PART is one of ${parts.join(", ")}.`],
    [["--from", "records"], "Use PART=FOLDER, where PART is one of"],
    [["--gateways", "0"], "argument '0' is invalid. Use a whole number from 1 to 99."],
    [["--records", "two"], "option '--records <n>' argument 'two' is invalid. Use a whole number from 1 to 99."],
    [["--port", "70000"], "Use a whole number from 0 to 65535."],
    [["--shared-buffers-mb", "0"], "Use a whole number from 1 to 1000000."],
    [["--nats", "2"], "option '--nats <n>' argument '2' is invalid. Use 1, 3 or 5."],
    [["--gateway", "2"], "unknown option '--gateway'"],
  ])("refuses %j with a sentence", (args, sentence) => {
    expect(() => read(args)).toThrow(sentence);
  });
});
