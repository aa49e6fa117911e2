import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { type Stack, startStack } from "../../platform/stack.js";
import { findToolsPython, makeVirtualEnvironment } from "../../python/virtual-environment.js";
import { fromNpm } from "../../trials/versions/get-programs.js";
import { agentFor } from "../agent.js";
import { shipmentFor } from "../corridor.js";

/** The versions that `docs/coding-agents.md` names. */
const INSPECTOR = "2.12.0";
const MCP_REMOTE = "0.15.1";
const SDK_V1 = "1.32.2";

/** pip writes thousands of files, which takes minutes on a busy machine. */
const INSTALL_MS = 1_800_000;

const TEMPLATE = "shipping://api/v1/labels/{id}/file";
const WRONG_KEY = "The API key is incomplete or was changed. Copy it again, all 51 characters.";

const own = (file: string) => join(import.meta.dirname, file);

let stack: Stack;
let folder: string;
let env: { LABEL: string; MCP_URL: string; SHIPPING_KEY: string };
beforeAll(async () => {
  stack = await startStack({ mcp: "all", requestsPerMinute: 100_000 });
  folder = await mkdtemp(join(tmpdir(), "shipping-hosts-"));
  const apiKey = (await stack.newCustomer()).sandbox;
  const agent = await agentFor({ baseUrl: stack.baseUrl, apiKey });
  const shipment = await agent.dataOf("createShipment", shipmentFor("for hosts"));
  const [rate] = await agent.dataOf<{ id: string }[]>("quoteRates", { shipment_id: shipment.id });
  const label = await agent.dataOf("createLabel", { shipment_id: shipment.id, rate_id: rate?.id });
  await agent.close();
  env = { LABEL: label.id, MCP_URL: `${new URL(stack.baseUrl).origin}/mcp`, SHIPPING_KEY: apiKey };
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program of Node to its end. */
async function run(args: readonly string[], more: Record<string, string> = {}) {
  const options = { env: { PATH: process.env.PATH, HOME: folder, ...env, ...more }, maxBuffer: 16 * 1024 * 1024 };
  const ended = promisify(execFile)(process.execPath, [...args], options);
  return ended.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }) as { code: number; stdout: string; stderr: string },
  );
}

test("the guide names the versions that are tried here", async () => {
  const root = join(import.meta.dirname, "../../..");
  const guide = await readFile(join(root, "docs/coding-agents.md"), "utf8");
  const [fastMcp, python] = (await readFile(own("requirements.txt"), "utf8")).match(/(?<===).+/g) ?? [];
  const { version } = JSON.parse(
    await readFile(join(root, "node_modules/@modelcontextprotocol/client/package.json"), "utf8"),
  );
  expect(guide).toContain(
    `the inspector ${INSPECTOR}, mcp-remote ${MCP_REMOTE}, FastMCP ${fastMcp}, the Python SDK ${python}, and the TypeScript SDK ${SDK_V1} and ${version}.`,
  );
});

describe(`the official inspector ${INSPECTOR}`, () => {
  let program: string;
  beforeAll(async () => {
    const inspector = await fromNpm("@modelcontextprotocol/inspector", INSPECTOR);
    program = join(inspector, "clients/launcher/build/index.js");
  });

  const inspect = (key: string, ...args: string[]) =>
    run([program, "--cli", env.MCP_URL, "--transport", "http", "--header", `Authorization: Bearer ${key}`, ...args]);

  test("finds no fault in the schemas of the tools", async () => {
    const { code, stdout, stderr } = await inspect(env.SHIPPING_KEY, "--method", "tools/list", "--strict");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout).tools).toHaveLength(18);
  });

  test("lists and reads resources, and gets a label's file with a text about it", async () => {
    const templates = await inspect(env.SHIPPING_KEY, "--method", "resources/templates/list");
    expect(JSON.parse(templates.stdout).resourceTemplates).toMatchObject([{ uriTemplate: TEMPLATE }]);
    const uri = TEMPLATE.replace("{id}", env.LABEL);
    const read = await inspect(env.SHIPPING_KEY, "--method", "resources/read", "--uri", uri);
    expect(JSON.parse(read.stdout).contents).toMatchObject([{ uri, blob: expect.stringMatching(/^JVBERi0/) }]);
    const call = ["--method", "tools/call", "--tool-name", "getLabelFile", "--tool-arg", `id=${env.LABEL}`];
    const { stdout } = await inspect(env.SHIPPING_KEY, ...call);
    expect(JSON.parse(stdout).content).toMatchObject([{ text: expect.stringContaining(uri) }, { type: "resource" }]);
  });

  test("says what is wrong with a key", async () => {
    const { stderr } = await inspect("service_test_wrong", "--stored-auth-only", "--method", "tools/list");
    expect(stderr).toContain(WRONG_KEY);
  });
});

describe(`mcp-remote ${MCP_REMOTE}`, () => {
  /** Sends messages as a host on standard input does, and resolves with the answers and all that it printed. */
  async function remote(key: string, messages: readonly object[]) {
    const program = join(await fromNpm("mcp-remote", MCP_REMOTE), "dist/proxy.js");
    const args = [program, env.MCP_URL, "--header", `Authorization:Bearer ${key}`];
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, HOME: folder, MCP_REMOTE_CONFIG_DIR: join(folder, "mcp-remote") },
    });
    let log = "";
    child.stderr.on("data", (text) => (log += text));
    const ended = new Promise((resolve) => child.once("close", resolve));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const answers: unknown[] = [];
    for (const message of messages) {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      const { value, done } = await lines.next();
      if (done) break;
      answers.push(JSON.parse(value));
    }
    child.stdin.end();
    await ended;
    return { answers, log };
  }

  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } };
  const messages = [
    { id: 1, method: "initialize", params: client },
    { id: 2, method: "resources/templates/list" },
    { id: 3, method: "tools/call", params: { name: "getAccount", arguments: {} } },
  ];

  test("passes messages on", async () => {
    expect((await remote(env.SHIPPING_KEY, messages)).answers).toMatchObject([
      { id: 1, result: { serverInfo: { name: "shipping-mcp" } } },
      { id: 2, result: { resourceTemplates: [{ uriTemplate: TEMPLATE }] } },
      { id: 3, result: { structuredContent: { data: { object: "account" } } } },
    ]);
  });

  test("ends with the sentence about a wrong key, after one attempt", async () => {
    const { answers, log } = await remote("service_test_wrong", messages);
    expect(answers).toEqual([]);
    const [last] = log.split("\n").filter((line) => line.includes("Fatal error"));
    expect(last).toContain(WRONG_KEY);
    expect(log).not.toContain("No such route");
    expect(log).not.toContain("falling-back-to-alternate-transport");
  });
});

test(`version ${SDK_V1} of the TypeScript SDK uses all, and ends with the sentence about a wrong key, also where it signs in`, async () => {
  const SDK = await fromNpm("@modelcontextprotocol/sdk", SDK_V1);
  const { stdout, stderr } = await run([own("sdk-v1-client.mjs")], { SDK });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({
    tools: 18,
    templates: [TEMPLATE],
    file: ["text", "resource"],
    refused: expect.stringContaining(WRONG_KEY),
    refusedWithSignIn: WRONG_KEY,
  });
});

test(
  "FastMCP's client and the Python SDK use all, and end with the sentence about a wrong key",
  async () => {
    const { python } = await makeVirtualEnvironment(join(folder, "python"), findToolsPython());
    await python(["-m", "pip", "install", "--quiet", "-r", own("requirements.txt")]);
    const fastMcp = JSON.parse(await python([own("fastmcp_client.py")], { env }));
    expect(fastMcp).toMatchObject({
      ...{ ping: true, tools: 18, templates: [TEMPLATE], prompt: expect.stringContaining("in Django."), read: "%PDF-" },
      file: [expect.stringContaining(`It is the resource ${TEMPLATE.replace("{id}", env.LABEL)}`), "JVBERi0x"],
      refused: expect.stringContaining(WRONG_KEY),
    });
    const sdk = JSON.parse(await python([own("sdk_client.py")], { env }));
    expect(sdk).toEqual({
      ...{ version: expect.any(String), tools: 18, templates: [TEMPLATE], account: "account" },
      refused: expect.stringContaining(WRONG_KEY),
    });
  },
  INSTALL_MS,
);
