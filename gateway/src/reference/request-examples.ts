import type { Operation } from "./operations.js";

/** A request in one language, as the pages show code. */
export interface RequestExample {
  language: "sh" | "ts" | "python";
  code: string;
}

/** The methods of the clients, by operation; the same in TypeScript and in Python. */
const METHODS: Readonly<Record<string, string>> = {
  getAccount: "account.get",
  createOrder: "orders.create",
  listOrders: "orders.list",
  getOrder: "orders.get",
  createShipment: "shipments.create",
  listShipments: "shipments.list",
  getShipment: "shipments.get",
  quoteRates: "rates.create",
  createLabel: "labels.create",
  listLabels: "labels.list",
  getLabel: "labels.get",
  getLabelFile: "labels.file",
  voidLabel: "labels.void",
  getTracking: "tracking.get",
  createSubscription: "webhooks.create",
  listSubscriptions: "webhooks.list",
  getSubscription: "webhooks.get",
  disableSubscription: "webhooks.disable",
};

/** The method of the clients that sends an operation. */
export function clientMethodOf({ id }: Operation): string {
  const method = METHODS[id];
  if (!method) throw new Error(`No method of the clients is known for ${id}.`);
  return method;
}

/** The example of an operation for curl and both clients. Each run is a request of its own: it has a fresh idempotency key. */
export function requestExamples(operation: Operation): RequestExample[] {
  return [
    { language: "sh", code: curlOf(operation) },
    { language: "ts", code: typescriptOf(operation) },
    { language: "python", code: pythonOf(operation) },
  ];
}

/** The ID in the path of an example, if the path has one. */
function idIn({ parameters }: Operation): string | undefined {
  return parameters.find((parameter) => parameter.in === "path")?.example;
}

function curlOf(operation: Operation): string {
  const { id, route, body, answer } = operation;
  const path = route.path.replace(/\{\w+\}/, idIn(operation) ?? "");
  const parts = [
    `curl -sS --fail-with-body ${route.method === "DELETE" ? "-X DELETE " : ""}"$SHIPPING_URL${path}"`,
    '-H "Authorization: Bearer $SHIPPING_KEY"',
    // Another one each second and in each shell, wherever there is a shell.
    ...(route.method === "GET" ? [] : [`-H "Idempotency-Key: ${id}-$(date +%s)-$$"`]),
    ...(body
      ? [
          '-H "Content-Type: application/json"',
          `-d ${quoted(JSON.stringify(body.example, null, 2)).replaceAll("\n", "\n  ")}`,
        ]
      : []),
    ...(answer.isPdf ? ["-o label.pdf"] : []),
  ];
  return `${parts.join(" \\\n  ")}\n`;
}

/** As a shell takes it to the letter. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The arguments of the client's method: the ID, the body, or none. */
function argumentsOf(operation: Operation, language: "ts" | "python"): string {
  // The clients send an empty body by themselves.
  const sent = Object.keys(operation.body?.example ?? {}).length ? operation.body?.example : undefined;
  return [idIn(operation), sent].flatMap((one) => (one === undefined ? [] : codeLiteral(one, language))).join(", ");
}

function typescriptOf(operation: Operation): string {
  const { route, answer } = operation;
  const call = `shipping.${clientMethodOf(operation)}(${argumentsOf(operation, "ts")})`;
  const start = 'import { Shipping } from "shipping-client";\n\nconst shipping = new Shipping();\n';
  if (answer.isPdf)
    return `import { writeFile } from "node:fs/promises";\n${start}await writeFile("label.pdf", await ${call});\n`;
  if (isList(operation))
    return `${start}for await (const ${nounOf(route.path)} of ${call}) console.log(${nounOf(route.path)}.id);\n`;
  return `${start}const ${nameOf(operation)} = await ${call};\nconsole.log(${nameOf(operation)});\n`;
}

function pythonOf(operation: Operation): string {
  const { route, answer } = operation;
  const call = `shipping.${clientMethodOf(operation)}(${argumentsOf(operation, "python")})`;
  const start = "from shipping_client import Shipping\n\nshipping = Shipping()\n";
  if (answer.isPdf) return `from pathlib import Path\n${start}Path("label.pdf").write_bytes(${call})\n`;
  if (isList(operation))
    return `${start}for ${nounOf(route.path)} in ${call}:\n    print(${nounOf(route.path)}["id"])\n`;
  return `${start}${nameOf(operation)} = ${call}\nprint(${nameOf(operation)})\n`;
}

function isList({ route }: Operation): boolean {
  return route.method === "GET" && route.query !== undefined;
}

/** The variable for the answer: `label`, or `rates` for a list. */
function nameOf({ route, answer }: Operation): string {
  const noun = nounOf(route.path);
  const { data } = (answer.example ?? {}) as { data?: unknown };
  return Array.isArray(data) ? `${noun}s` : noun;
}

/** One of the resources of a path: `/labels/{id}/void` has a `label`. */
function nounOf(path: string): string {
  return path.split("/")[1]?.replace(/s$/, "") ?? "";
}

const INDENT = { ts: "  ", python: "    " };
const CONSTANTS = { ts: ["true", "false", "null"], python: ["True", "False", "None"] } as const;

/** A value of JSON as a program of that language writes it. */
export function codeLiteral(value: unknown, language: "ts" | "python", above = ""): string {
  const [yes, no, nothing] = CONSTANTS[language];
  if (value === true) return yes;
  if (value === false) return no;
  if (value === null) return nothing;
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => codeLiteral(item, language, above)).join(", ")}]`;
  const inner = above + INDENT[language];
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${nameIn(name, language)}: ${codeLiteral(member, language, inner)},\n`,
  );
  return members.length ? `{\n${members.join("")}${above}}` : "{}";
}

function nameIn(name: string, language: "ts" | "python"): string {
  return language === "ts" && /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
