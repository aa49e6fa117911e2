import { create, ScalarType, toJson } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { createRouterTransport, type Interceptor } from "@connectrpc/connect";
import { idName } from "@shipping/api/operations/operation";
import { z } from "zod";
import type { Admission } from "../../admission/admit.js";
import { createClients } from "../../service-clients/clients.js";
import type { EndpointDeps } from "../deps.js";
import type { Route } from "../endpoint.js";
import { routes } from "./routes.js";

const caller = { accountId: "acc_a", environment: "sandbox" } as const;
const claim = { idempotencyKey: "key", token: 7n, fingerprint: new Uint8Array(32) };
const actor = { name: "key_a", source: "192.0.2.1" };
const claimJson = { idempotency_key: "key", token: "7", fingerprint: expect.any(String) };
const query = { limit: 10, after: "x_after" };

const asked: [rpc: string, request: unknown, requestId: string | null][] = [];

/** Records a call, and returns a message in which every field is set: bytes are JSON, messages are empty. */
const note: Interceptor = () => async (call) => {
  if (call.stream) throw new Error("No RPC of these streams.");
  const { service, method } = call;
  const request = toJson(method.input, call.message, { useProtoFieldName: true });
  asked.push([`${service.name}.${method.name}`, request, call.header.get("x-request-id")]);
  const message = create(method.output);
  for (const field of method.output.fields) {
    const answer = reflect(method.output, message);
    if (field.fieldKind === "message") answer.set(field, reflect(field.message));
    else if (field.fieldKind === "scalar" && field.scalar === ScalarType.BYTES) answer.set(field, Buffer.from("{}"));
  }
  return { stream: false, service, method, header: new Headers(), trailer: new Headers(), message };
};

const transport = createRouterTransport(() => {}, { transport: { interceptors: [note] } });
const clients = createClients({ records: transport, carrier: transport, tracking: transport, webhooks: transport });
const deps = { clients } as EndpointDeps;

/** Completes an example with every field of the schema, including nested ones. A field that the example omits is a text. */
function complete(schema: unknown, example: unknown): unknown {
  const type = schema instanceof z.ZodExactOptional ? schema.unwrap() : schema;
  if (!(type instanceof z.ZodObject)) return example ?? "x";
  const given = (example ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(type.shape).map(([name, field]) => [name, complete(field, given[name])]));
}

/** The largest body that a client can send. */
function bodyOf(route: Route): Record<string, unknown> {
  if (route.method === "GET" || !route.body) return {};
  return route.body.parse(complete(route.body, route.example.body)) as Record<string, unknown>;
}

/** Calls the handler of an operation with every allowed field, and returns the RPC that it sent. */
async function requestOf(route: Route) {
  asked.length = 0;
  const options = { headers: { "x-request-id": "req_a" } };
  if (route.method === "GET") {
    await route.handler(deps, { caller, admission: {} as Admission, id: "x_id", query }, options);
  } else {
    await route.handler(deps, { caller, claim, actor, id: "x_id", input: bodyOf(route) }, options);
  }
  expect(asked).toHaveLength(1);
  const [rpc, request, requestId] = asked[0] ?? [];
  expect(requestId).toBe("req_a");
  return [rpc, request];
}

const callerJson = { account_id: "acc_a", environment: "sandbox" };

/** The members of a body as the RPC has them. `format` is left out, because it has only one value. */
function bodyFields(route: Route) {
  const { format, metadata, ...fields } = bodyOf(route);
  return { ...fields, ...(metadata !== undefined && { metadata: { text: JSON.stringify(metadata) } }) };
}

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const SERVICES: Readonly<Record<string, string>> = {
  ...{ orders: "Records", shipments: "Records", rates: "Carrier", labels: "Carrier" },
  ...{ tracking: "Tracking", webhooks: "Webhooks" },
};
const operations = routes
  .filter(({ operationId }) => operationId !== "getAccount")
  .map((route) => {
    const { operationId: name, path } = route;
    return { name, route, rpc: `${SERVICES[path.split("/")[1]!]}Service.${capitalised(name)}` };
  });
describe("each operation is one RPC of its own name, and every field of its body is in it", () => {
  test.each(operations)("$name asks $rpc", async ({ route, rpc }) => {
    const id = idName(route);
    const isList = route.method === "GET" && route.query !== undefined;
    expect(await requestOf(route)).toEqual([
      rpc,
      {
        caller: callerJson,
        ...(id !== undefined && { [id]: "x_id" }),
        ...(isList && query),
        ...(route.method !== "GET" && { claim: claimJson, ...bodyFields(route) }),
        // Webhooks writes the audit log of its subscriptions, so it has to know who asks.
        ...(route.method !== "GET" && route.owner === "webhooks" && { actor }),
      },
    ]);
  });
});
