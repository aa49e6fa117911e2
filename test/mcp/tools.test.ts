import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { errorGuidance } from "@shipping/api/openapi/error-guidance";
import { operations } from "@shipping/api/operations/operations";
import { type Stack, sharedStack } from "../platform/stack.js";
import { type Agent, agentFor, connectAgent, textIn } from "./agent.js";
import { shipmentFor } from "./corridor.js";

let stack: Stack;
let agent: Agent;
let apiKey: string;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  apiKey = (await stack.newCustomer()).sandbox;
  agent = await agentFor({ baseUrl: stack.baseUrl, apiKey });
});
afterAll(async () => {
  await agent.close();
  await stack.stop();
});

describe("the tools", () => {
  test("are the operations, with a schema without references, and say which only read", async () => {
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
    expect(JSON.stringify(tools)).not.toContain("$ref");
    const writes = tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name);
    const expected = operations.filter(({ method }) => method !== "GET").map(({ operationId }) => operationId);
    expect(writes.sort()).toEqual(expected.sort());
    for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ type: "object", properties: {} });
  });

  test("lead from an order to a label, its file, its tracking and its void", async () => {
    const order = await agent.dataOf("createOrder", shipmentFor("order of an agent"));
    const shipment = await agent.dataOf("createShipment", { ...shipmentFor("of an order"), order_id: order.id });
    const [rate] = await agent.dataOf<{ id: string }[]>("quoteRates", { shipment_id: shipment.id });
    const label = await agent.dataOf<{ id: string; tracking_number: string }>("createLabel", {
      shipment_id: shipment.id,
      rate_id: rate?.id,
    });
    const { content } = await agent.call("getLabelFile", { id: label.id });
    const uri = `shipping://api/v1/labels/${label.id}/file`;
    const resource = { uri, mimeType: "application/pdf", blob: expect.any(String) };
    expect(content).toEqual([
      { type: "text", text: expect.any(String) },
      { type: "resource", resource },
    ]);
    const [about, file] = content as unknown as [{ text: string }, { resource: { blob: string } }];
    const size = Buffer.from(file.resource.blob, "base64").length;
    expect(about.text).toContain(`A PDF (application/pdf) of ${size} bytes.`);
    expect(about.text).toContain(
      `It is the resource ${uri}, and a program downloads it with GET /api/v1/labels/${label.id}/file`,
    );
    expect(await agent.client.readResource({ uri })).toEqual({ contents: [file.resource] });
    expect(await agent.dataOf("getTracking", { tracking_number: label.tracking_number })).toMatchObject({
      label_id: label.id,
    });
    expect(await agent.dataOf("voidLabel", { id: label.id })).toMatchObject({ status: "voided" });
    await expect(agent.client.readResource({ uri })).rejects.toThrow("label_voided");
    expect(await agent.dataOf<{ id: string }[]>("listLabels", { limit: 100 })).toMatchObject([{ id: label.id }]);
    expect(await agent.dataOf("getAccount")).toMatchObject({ environment: "sandbox" });
  });

  test("the same call is the same request, in whatever order its arguments are, and another one with another intent", async () => {
    const given = shipmentFor("the same call");
    const first = await agent.dataOf("createShipment", given);
    const turned = Object.fromEntries(Object.entries(given).reverse());
    const other = await agentFor({ baseUrl: stack.baseUrl, apiKey });
    const again = await other.call("createShipment", turned);
    expect(again.structuredContent).toMatchObject({ data: { id: first.id } });
    expect(textIn(again)).toContain("nothing was done again");
    const second = await other.dataOf("createShipment", { ...given, intent: "second parcel" });
    expect(second.id).not.toBe(first.id);
    expect(await other.dataOf("createShipment", { intent: "second parcel", ...given })).toEqual(second);
    await other.close();
  });

  test("say what is wrong with a call and what to do, as the API does", async () => {
    const missing = await agent.refusalOf("getOrder", { id: "ord_aaaaaaaaaaaaaaaaaaaaaaaaaa" });
    expect(missing).toContain("404");
    expect(missing).toContain(errorGuidance.not_found);
    const wrong = await agent.refusalOf("createShipment", { ...shipmentFor("x"), zip: "1" });
    expect(wrong).toContain('"path":"zip"');
    expect(wrong).toContain(errorGuidance.invalid_request);
    expect(await agent.refusalOf("listOrders", { page: 2 })).toContain('"path":"page"');
    for (const id of ["../account", "..", "%2e%2e", "a?b", "a#b", "", "a".repeat(256)])
      expect(await agent.refusalOf("getOrder", { id })).toBe("`id` must be an ID, as text.");
    expect(await agent.refusalOf("getOrder", { id: `ord_Of.Tomorrow~2-${"7".repeat(200)}` })).toContain(
      "No such order.",
    );
    await expect(agent.call("dropTables")).rejects.toThrow("There is no tool dropTables.");
  });

  test("take an object with free members as an object, and as text", async () => {
    const metadata = { order_number: "1042", lines: [1, 2] };
    const given = { ...shipmentFor("metadata as text"), metadata: JSON.stringify(metadata) };
    const made = await agent.dataOf("createOrder", given);
    expect(made).toMatchObject({ metadata });
    expect(await agent.dataOf("createOrder", { ...given, metadata })).toEqual(made);
    for (const text of ["", "1042", '"1042"', "{"])
      expect(await agent.refusalOf("createOrder", { ...given, metadata: text })).toContain('"path":"metadata"');
  });

  test("do no more than the scopes of the key allow", async () => {
    const reading = await stack.newKey(await stack.newAccount(), "sandbox", { scopes: ["shipments:read"] });
    const limited = await agentFor({ baseUrl: stack.baseUrl, apiKey: reading.key });
    expect(await limited.refusalOf("createLabel", { shipment_id: "shp_x", rate_id: "x" })).toContain("missing_scope");
    await limited.close();
  });

  test("with a live key write only if the operator allows it, and read in any case", async () => {
    const { live } = await stack.newCustomer();
    const careful = await agentFor({ baseUrl: stack.baseUrl, apiKey: live });
    expect(await careful.refusalOf("createOrder", shipmentFor("live"))).toContain("only writes with sandbox keys");
    expect(await careful.dataOf("listOrders")).toEqual([]);
    const allowed = await agentFor({ baseUrl: stack.baseUrl, apiKey: live, allowLive: true });
    expect(await allowed.dataOf("createOrder", shipmentFor("live"))).toMatchObject({ livemode: true });
    await Promise.all([careful.close(), allowed.close()]);
  });

  test("say that a call without an answer may be repeated", async () => {
    const lost = async () => {
      throw new TypeError("fetch failed", { cause: new Error("ECONNRESET") });
    };
    const alone = await agentFor({ baseUrl: stack.baseUrl, apiKey, fetch: lost });
    expect(await alone.refusalOf("createShipment", shipmentFor("lost"))).toMatch(
      /^No answer .*ECONNRESET.*the same request/s,
    );
    await alone.close();
  });
});

describe("resources and prompts", () => {
  test("are the pages of the documentation, and the account", async () => {
    const { resources } = await agent.client.listResources();
    expect(resources.length).toBeGreaterThan(30);
    for (const uri of ["shipping://account", "shipping://docs/events.md", "shipping://docs/reference/createLabel.md"]) {
      expect(resources).toContainEqual(expect.objectContaining({ uri }));
      const { contents } = await agent.client.readResource({ uri });
      expect(contents).toMatchObject([{ uri, text: expect.stringMatching(/^(# |\{)/) }]);
    }
    for (const uri of ["shipping://api/v1/orders", "shipping://api/v1/labels/a/b/file", "https://example.com/"])
      await expect(agent.client.readResource({ uri })).rejects.toThrow(`There is no resource ${uri}.`);
    const { resourceTemplates } = await agent.client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "shipping://api/v1/labels/{id}/file" }]);
    const missing = agent.client.readResource({ uri: "shipping://api/v1/labels/lbl_x/file" });
    await expect(missing).rejects.toThrow(/The API answered 4\d\d/);
  });

  test("a prompt says how to integrate webhooks in a framework", async () => {
    const { messages } = await agent.client.getPrompt({
      name: "integrate-webhooks",
      arguments: { framework: "FastAPI" },
    });
    expect(JSON.stringify(messages)).toContain("in FastAPI.");
    await expect(agent.client.getPrompt({ name: "integrate-webhooks" })).rejects.toThrow("framework");
  });
});

test("the program serves them on standard input and output, and says what is missing", async () => {
  const program = join(import.meta.dirname, "../../mcp/bin/shipping-mcp.js");
  const transport = (env: Record<string, string>) =>
    new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: "pipe" });
  const own = await connectAgent(transport({ SHIPPING_URL: stack.baseUrl, SHIPPING_KEY: apiKey }));
  expect(await own.dataOf("getAccount")).toMatchObject({ livemode: false });
  await own.close();
  const without = transport({ SHIPPING_URL: "http://shipping.example.com/api/v1" });
  let said = "";
  without.stderr?.on("data", (text) => (said += text));
  await expect(connectAgent(without)).rejects.toThrow();
  expect(said).toMatch(/SHIPPING_URL must .*\nSHIPPING_KEY must /);
});
