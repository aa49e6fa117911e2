import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { operations } from "@shipping/api/operations/operations";
import { eventually } from "@shipping/kit/testing/eventually";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import { type Customer, newCustomer } from "../edge/operations.js";
import { payloadSchemaOf, validatorOf } from "../openapi/document-schemas.js";
import { type Stack, sharedStack } from "../platform/stack.js";

type Json = Record<string, unknown>;
interface Content {
  "application/json"?: { example: { data: Json; next_cursor?: null } };
}
interface Operation {
  operationId: string;
  parameters: { in?: string; example?: string; $ref?: string }[];
  requestBody?: { content: { "application/json": { example: Json } } };
  responses: Record<string, { content: Content }>;
}
interface Step extends Operation {
  method: string;
  path: string;
}

/** The example of an operation. All examples together tell one story. */
interface Chapter {
  name: string;
  isWrite: boolean;
  /** The request and the response. */
  text: string;
  /** The resource that the operation creates, if any. */
  made: string | undefined;
}

const chapters: readonly Chapter[] = operations.map(({ operationId, method, id, example }) => {
  const isWrite = method !== "GET";
  const made = isWrite && id === undefined ? (example.data as { id?: string }).id : undefined;
  return { name: operationId, isWrite, text: JSON.stringify(example), made };
});

/** The order of the story: the writes as in the table, and before each write the reads whose resources all exist. */
function storyOf(left: readonly Chapter[], told: readonly string[] = []): readonly string[] {
  const missing = left.flatMap(({ made }) => made ?? []);
  const isTold = ({ text, made }: Chapter) => !missing.some((id) => id !== made && text.includes(id));
  const next = left.find((chapter) => !chapter.isWrite && isTold(chapter)) ?? left.find(({ isWrite }) => isWrite);
  if (!next) return told;
  return storyOf(
    left.filter((chapter) => chapter !== next),
    [...told, next.name],
  );
}
const STORY = storyOf(chapters);

let stack: Stack;
let customer: Customer;
let steps: Step[];
let deliveries: Record<string, Json>;
beforeAll(async () => {
  stack = await sharedStack();
  customer = await newCustomer(stack, { accountId: await stack.newAccount("Nordlicht GmbH") });
  const document = await (await fetch(`${stack.baseUrl}/openapi.json`)).json();
  steps = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  );
  deliveries = Object.fromEntries(EVENT_TYPES.map((type) => [type, payloadSchemaOf(type).examples?.[0] ?? {}]));
});
afterAll(() => stack.stop());

/** Whether the document's schema of this type's payload accepts it. */
function acceptedAs(type: string, event: unknown): boolean {
  return validatorOf(payloadSchemaOf(type))(event);
}

/** Maps the story's IDs to the platform's. */
const idsHere = new Map<string, string>();

/** The example with the platform's IDs. */
function asHere<T>(example: T): T {
  let text = JSON.stringify(example);
  for (const [there, here] of idsHere) text = text.replaceAll(there, here);
  return JSON.parse(text);
}

/** Records the platform's IDs from a response. */
function learnIds(example: unknown, answered: unknown): void {
  for (const name of ["id", "tracking_number"] as const) {
    const [there, here] = [example, answered].map((one) => (one as Json | undefined)?.[name]);
    if (typeof there !== "string" || typeof here !== "string" || asHere(there) === here) continue;
    expect([there.slice(0, 4), there.length]).toEqual([here.slice(0, 4), here.length]);
    idsHere.set(there, here);
  }
}

const SECRET = /^whsec_[\w+/]{43}=$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The pattern of an example: itself with the platform's IDs, and with any time and secret of the same form. */
function expectedOf(example: unknown): unknown {
  const fit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fit);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fit(member)]));
    const form = [TIME, SECRET].find((one) => one.test(String(value)));
    return form ? expect.stringMatching(form) : value;
  };
  return fit(asHere(example));
}

test("the story has every operation", () => {
  expect(steps.map(({ operationId }) => operationId).sort()).toEqual([...STORY].sort());
});

test.each(STORY)("the example of %s, sent, is answered as it says", async (name) => {
  const step = steps.find(({ operationId }) => operationId === name);
  if (!step) throw new Error(`There is no operation ${name}.`);
  const { method, path, parameters, requestBody, responses } = step;
  const id = parameters.find((parameter) => parameter.in === "path")?.example ?? "";
  const body = requestBody?.content["application/json"].example;
  const answer = await customer.send<Json>(method, asHere(path.replace(/\{\w+\}/, id)), {
    ...(body && { body: JSON.stringify(asHere(body)) }),
    headers: method === "GET" ? {} : { "Idempotency-Key": `story-${name}` },
  });
  expect([name, responses[answer.status] !== undefined, answer.status < 300]).toEqual([name, true, true]);
  const example = responses[answer.status]?.content["application/json"]?.example;
  if (!example) return expect(answer.bytes.subarray(0, 5).toString()).toBe("%PDF-");
  learnIds(example.data, answer.body.data);
  expect(answer.body).toEqual(expectedOf(example));
});

test("the examples of deliveries are what a subscription's URL is sent", async () => {
  const arrived: Json[] = [];
  const receiver = createServer(async (request, response) => {
    arrived.push((await json(request)) as Json);
    response.writeHead(204).end();
  });
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  const post = async (path: string, body: Json) => {
    const headers = { "Idempotency-Key": `delivery-${path}` };
    return (await customer.send<Json>("POST", path, { body: JSON.stringify(body), headers })).body.data;
  };
  const input = (name: string) =>
    asHere(
      steps.find(({ operationId }) => operationId === name)?.requestBody?.content["application/json"].example ?? {},
    );
  try {
    idsHere.clear();
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    await post("/webhooks", { url, events: Object.keys(deliveries) });
    const made = (type: string) => deliveries[type]?.data;
    learnIds(made("order.created"), await post("/orders", input("createOrder")));
    const shipment = await post("/shipments", input("createShipment"));
    learnIds(made("shipment.created"), shipment);
    const label = await post("/labels", { shipment_id: shipment.id, rate_id: `rate_test_${shipment.id}` });
    learnIds(made("label.created"), label);
    await post(`/labels/${label.id}/void`, {});
    expect(Object.keys(deliveries)).toEqual(EVENT_TYPES);
    await eventually(() => expect(arrived).toHaveLength(EVENT_TYPES.length));
    for (const [type, example] of Object.entries(deliveries)) {
      const event = arrived.find((one) => one.type === type);
      learnIds(example, event);
      expect(event).toEqual(expectedOf(example));
      expect([type, acceptedAs(type, event), acceptedAs(type, example)]).toEqual([type, true, true]);
      expect(acceptedAs(type, { ...event, data: undefined })).toBe(false);
    }
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});
