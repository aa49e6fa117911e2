import { MCP_PATH } from "@shipping/api/agent-messages";
import { openApiDocument } from "@shipping/api/openapi/openapi";
import { operations } from "@shipping/api/operations/operations";
import { readTools } from "shipping-mcp/tools";
import {
  fieldsOf,
  inPath,
  inUrl,
  jsonPlaces,
  NEW_KEY,
  type Place,
  placesOf,
  type Schema,
  type Sender,
  type Sent,
} from "./place.js";

const document = JSON.parse(JSON.stringify(openApiDocument()));
const JSON_TYPE = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** The places of all operations of the API: path, query and body, with every field of it. */
export function apiPlaces({ key }: Sender): Place[] {
  return operations.flatMap(({ method, path, example }) => {
    const at = `/api/v1${path}`;
    const { parameters = [], requestBody } = document.paths[path][method.toLowerCase()];
    const schema: Schema | undefined = requestBody?.content["application/json"].schema;
    const own = at.replace(/\{\w+\}/, example.id ?? "");
    const send = (sentPath: string, body = schema && "{}"): Sent => ({
      method,
      path: sentPath,
      headers: {
        authorization: `Bearer ${key}`,
        ...(method !== "GET" && { "idempotency-key": NEW_KEY }),
        ...(body !== undefined && JSON_TYPE),
      },
      body,
    });
    const names = parameters.flatMap((one: { in?: string; name: string }) => (one.in === "query" ? [one.name] : []));
    const fields = schema ? fieldsOf(schema, document.components.schemas) : [];
    return placesOf(`${method} ${at.replace(/\{(\w+)\}/g, ":$1")}`, {
      ...(at.includes("{") && { path: (text) => send(at.replace(/\{\w+\}/, () => inPath(text))) }),
      "query, a name": (text) => send(`${own}?${inUrl(text)}=1`),
      ...Object.fromEntries(
        names.map((name: string) => [`query ${name}`, (text: string) => send(`${own}?${name}=${inUrl(text)}`)]),
      ),
      ...(schema && jsonPlaces(example.body, fields, (body) => send(own, body))),
    });
  });
}

/** The places of all messages of MCP: every argument of every tool, and the parameters of the other methods. */
export function mcpPlaces({ key }: Sender): Place[] {
  const send = (body?: string, method = "POST", query = ""): Sent => ({
    method,
    path: MCP_PATH + query,
    headers: { authorization: `Bearer ${key}`, ...JSON_TYPE },
    body,
  });
  const message = { jsonrpc: "2.0", id: 1 };
  const params: Record<string, (string | number)[][]> = {
    initialize: [["protocolVersion"], ["capabilities", "a"], ["clientInfo", "name"], ["clientInfo", "version"]],
    ping: [["_meta", "progressToken"]],
    "tools/list": [["cursor"]],
    "tools/call": [["name"], ["arguments"]],
    "resources/list": [["cursor"]],
    "resources/templates/list": [["cursor"]],
    "resources/read": [["uri"]],
    "prompts/list": [["cursor"]],
    "prompts/get": [["name"], ["arguments", "framework"]],
  };
  const calls = readTools(document).flatMap(({ tool: { name, inputSchema } }) => {
    const example = { ...message, method: "tools/call", params: { name, arguments: {} } };
    const fields = fieldsOf(inputSchema as Schema, document.components.schemas);
    const paths = fields.map((path) => ["params", "arguments", ...path]);
    return Object.entries(jsonPlaces(example, paths, send)).map(([at, put]) => [`${name}: ${at}`, put] as const);
  });
  const others = Object.entries(params).flatMap(([method, paths]) => {
    const fields = [["jsonrpc"], ["id"], ["method"], ...paths.map((path) => ["params", ...path])];
    return Object.entries(jsonPlaces({ ...message, method, params: {} }, fields, send)).map(
      ([at, put]) => [`${method}: ${at}`, put] as const,
    );
  });
  const queries = ["GET", "DELETE", "POST"].flatMap((method) =>
    placesOf(`${method} ${MCP_PATH}`, {
      query: (text) => send(method === "POST" ? "{}" : undefined, method, `?${inUrl(text)}`),
    }),
  );
  return [...placesOf(`POST ${MCP_PATH}`, Object.fromEntries([...others, ...calls])), ...queries];
}
