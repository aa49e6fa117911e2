import * as examples from "@shipping/api/examples";
import { SOME_ORIGIN } from "@shipping/api/openapi/collection";
import { idempotencyKey } from "@shipping/api/openapi/components";
import { openApiDocument } from "@shipping/api/openapi/openapi";
import { type Operation, pathWith } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import { convertV2 } from "openapi-to-postmanv2";

const { order, shipment, label, webhook } = examples;

/** The variables for IDs, with the IDs of the examples. */
const IDS = Object.entries({
  order_id: order.id,
  shipment_id: shipment.id,
  label_id: label.id,
  tracking_number: label.tracking_number,
  webhook_id: webhook.id,
});

const ABOUT =
  "Set the variable `api_key` to a sandbox key, then send the requests from top to bottom. A request that creates a resource stores its ID in a variable for later requests. Each request gets a new `Idempotency-Key`. To repeat a request, enter your own key.";

/** The API as a Postman collection (format 2.1). Bruno and Insomnia can import it, too. */
export async function postmanCollection() {
  const document = openApiDocument();
  const { info, item: folders } = await convertDocument(document);
  const [server] = document.servers;
  const collection = {
    info: { name: info.name, description: ABOUT, schema: info.schema },
    item: folders.map(({ name, description, item }) => ({ name, description, item: item.map(toRequest) })),
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{api_key}}", type: "string" }] },
    variable: [
      { key: "base_url", value: SOME_ORIGIN + server?.url },
      { key: "api_key", value: "" },
      ...IDS.map(([key]) => ({ key, value: "" })),
    ],
  };
  return JSON.parse(withVariables(JSON.stringify(collection)));
}

function withVariables(text: string): string {
  return IDS.reduce((all, [name, id]) => all.replaceAll(id, `{{${name}}}`), text)
    .replaceAll(idempotencyKey.example, "{{$guid}}")
    .replaceAll("](/docs/", `](${SOME_ORIGIN}/docs/`);
}

/** A request with the members that the three programs read. Insomnia reads the URL from `raw`. The library makes up IDs, which are left out. */
function toRequest({ name, request: { method, description, url, header, body } }: PostmanRequest) {
  const route = findRoute(method, url.path);
  const path = pathWith(route, route.example.id ?? "").slice(1);
  return {
    name,
    request: {
      method,
      description: description.content,
      header: header.map(({ key, value }) => ({ key, value })),
      url: {
        raw: `{{base_url}}/${path}`,
        host: ["{{base_url}}"],
        path: path.split("/"),
        // The library makes up a cursor.
        query: url.query.map(({ key }) => ({ key, value: "", disabled: true })),
      },
      ...(body?.raw && { body: { mode: "raw", raw: body.raw, options: { raw: { language: "json" } } } }),
    },
    ...storeIds(route),
  };
}

function findRoute(method: string, path: readonly string[]): Operation {
  const written = `/${path.join("/").replace(/:(\w+)/, "{$1}")}`;
  const route = operations.find((one) => one.method === method && one.path === written);
  if (!route) throw new Error(`The collection has ${method} ${written}, which is not an operation.`);
  return route;
}

/** The script that stores the IDs of a new resource in variables. */
function storeIds({ status, example }: Operation) {
  if (status !== 201) return {};
  const lines = Object.entries(example.data as Record<string, unknown>)
    .filter(([member]) => member === "id" || member === "tracking_number")
    .flatMap(([member, value]) => {
      const [variable] = IDS.find(([, id]) => id === value) ?? [];
      return variable ? [`  pm.collectionVariables.set("${variable}", pm.response.json().data.${member});`] : [];
    });
  const exec = ["if (pm.response.code === 201) {", ...lines, "}"];
  return { event: [{ listen: "test", script: { type: "text/javascript", exec } }] };
}

/** The parts of a request that are read here. */
export interface PostmanRequest {
  name: string;
  request: {
    method: string;
    description: { content: string };
    url: { path: string[]; query: Entry[]; variable: Entry[] };
    header: Entry[];
    body?: { mode?: string; raw?: string };
  };
}

interface Entry {
  key: string;
  value: string;
  description?: { content: string };
}

/** A collection, with a folder for each tag. */
export interface PostmanCollection {
  info: { name: string; schema: string; description: { content: string } };
  item: { name: string; description: string; item: PostmanRequest[] }[];
}

const OPTIONS = { folderStrategy: "Tags", requestNameSource: "Fallback", parametersResolution: "Example" } as const;

/** Converts an OpenAPI document into a Postman collection. */
export function convertDocument(document: object): Promise<PostmanCollection> {
  return new Promise((resolve, reject) => {
    convertV2({ type: "json", data: structuredClone(document) }, OPTIONS, (error, answer) => {
      const [collection] = answer?.output ?? [];
      if (collection) resolve(JSON.parse(JSON.stringify(collection.data)));
      else reject(error ?? new Error(answer?.reason ?? "The OpenAPI document makes no collection."));
    });
  });
}
