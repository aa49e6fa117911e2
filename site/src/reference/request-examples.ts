import type { Operation } from "./operations.js";

/** The client methods by operation, the same in TypeScript and Python. */
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

export function getClientMethod({ id }: Operation): string {
  const method = METHODS[id];
  if (!method) throw new Error(`No client method for ${id}.`);
  return method;
}

/** The examples of an operation for curl and both clients. Every run uses a new idempotency key. */
export function requestExamples(operation: Operation) {
  return [
    { language: "sh", code: toCurl(operation) },
    { language: "ts", code: toTypeScript(operation) },
    { language: "python", code: toPython(operation) },
  ];
}

function idIn({ parameters }: Operation): string | undefined {
  return parameters.find((parameter) => parameter.in === "path")?.example;
}

/** Makes a key unique per second and shell, in any POSIX shell. */
const UNIQUE = "$(date +%s)-$$";
/** Also makes it unguessable: a request with the key of a new subscription gets its secret again. */
const UNGUESSABLE = "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')";

function toCurl(operation: Operation): string {
  const { id, route, body, answer } = operation;
  const path = route.path.replace(/\{\w+\}/, idIn(operation) ?? "");
  const parts = [
    `curl -sS --fail-with-body ${route.method === "DELETE" ? "-X DELETE " : ""}"$SHIPPING_URL${path}"`,
    '-H "Authorization: Bearer $SHIPPING_KEY"',
    ...(route.method === "GET"
      ? []
      : [`-H "Idempotency-Key: ${id}-${id === "createSubscription" ? UNGUESSABLE : UNIQUE}"`]),
    ...(body
      ? [
          '-H "Content-Type: application/json"',
          `-d ${quote(JSON.stringify(body.example, null, 2)).replaceAll("\n", "\n  ")}`,
        ]
      : []),
    ...(answer.isPdf ? ["-o label.pdf"] : []),
  ];
  return `${parts.join(" \\\n  ")}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The arguments of the client's method: the ID, the body, or none. */
function formatArguments(operation: Operation, language: "ts" | "python"): string {
  // The clients add an empty body themselves.
  const sent = Object.keys(operation.body?.example ?? {}).length ? operation.body?.example : undefined;
  return [idIn(operation), sent].flatMap((one) => (one === undefined ? [] : codeLiteral(one, language))).join(", ");
}

function toTypeScript(operation: Operation): string {
  const { route, answer } = operation;
  const call = `shipping.${getClientMethod(operation)}(${formatArguments(operation, "ts")})`;
  const start = 'import { Shipping } from "shipping-client";\n\nconst shipping = new Shipping();\n';
  if (answer.isPdf)
    return `import { writeFile } from "node:fs/promises";\n${start}await writeFile("label.pdf", await ${call});\n`;
  if (isList(operation))
    return `${start}for await (const ${toNoun(route.path)} of ${call}) console.log(${toNoun(route.path)}.id);\n`;
  return `${start}const ${toVariable(operation)} = await ${call};\nconsole.log(${toVariable(operation)});\n`;
}

function toPython(operation: Operation): string {
  const { route, answer } = operation;
  const call = `shipping.${getClientMethod(operation)}(${formatArguments(operation, "python")})`;
  const start = "from shipping_client import Shipping\n\nshipping = Shipping()\n";
  if (answer.isPdf) return `from pathlib import Path\n${start}Path("label.pdf").write_bytes(${call})\n`;
  if (isList(operation))
    return `${start}for ${toNoun(route.path)} in ${call}:\n    print(${toNoun(route.path)}["id"])\n`;
  return `${start}${toVariable(operation)} = ${call}\nprint(${toVariable(operation)})\n`;
}

function isList({ route }: Operation): boolean {
  return route.method === "GET" && route.query !== undefined;
}

/** The variable for the answer: `label`, or `rates` for a list. */
function toVariable({ route, answer }: Operation): string {
  const noun = toNoun(route.path);
  const { data } = (answer.example ?? {}) as { data?: unknown };
  return Array.isArray(data) ? `${noun}s` : noun;
}

/** The resource of a path in the singular: `label` for `/labels/{id}/void`. */
function toNoun(path: string): string {
  return path.split("/")[1]?.replace(/s$/, "") ?? "";
}

const INDENT = { ts: "  ", python: "    " };
const CONSTANTS = { ts: ["true", "false", "null"], python: ["True", "False", "None"] } as const;

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
