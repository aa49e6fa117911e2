import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BASE_PATH } from "@shipping/api/operations/operation";
import { operations as apiOperations } from "@shipping/api/operations/operations";
import { getWeight } from "@shipping/gateway/api/middleware/answer-request";
import { createApiApp } from "@shipping/gateway/app";
import { choosePart, PUBLIC_PATHS } from "@shipping/kit/http/public-paths";
import { serveMessages } from "@shipping/mcp/serve-messages";
import { serveRegistration } from "@shipping/mcp/serve-registration";
import { createPortalApp } from "@shipping/portal/app";
import type { AuditAction } from "@shipping/portal/audit/audit";
import { AREA_PATH, isHeavy, needsRecentSignIn } from "@shipping/portal/page/page";
import { pages } from "@shipping/portal/pages";
import { PUBLIC_OWNERS, PUBLIC_PARTS, type PublicPart } from "@shipping/proto/parts";
import express, { Router } from "express";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/operations/routes.md"), "utf8");

const FILES = ["shipments", "orders", "labels"].flatMap((list) =>
  ["csv", "xlsx"].map((format) => `GET /developers/{environment}/${list}/${format}`),
);

/** The operations that write each audit entry. The compiler keeps the list of actions complete. */
const writtenBy: Record<AuditAction, readonly string[]> = {
  "key.created": ["POST /developers/{environment}/keys/new"],
  "key.revoked": ["POST /developers/{environment}/keys/{id}/revoke", "POST /developers/{environment}/keys/revoke"],
  "webhook.named": ["POST /developers/{environment}/webhooks/{id}/name"],
  "label.voided": [
    "POST /developers/{environment}/labels/{id}/void",
    "POST /developers/{environment}/webhooks/{id}/test",
  ],
  "member.invited": ["POST /developers/members/invite"],
  "member.invited_again": ["POST /developers/members/{id}/invite-again"],
  "member.invitation_declined": ["POST /developers/decline/confirm"],
  "member.role_changed": ["POST /developers/members/{id}/role"],
  "member.removed": ["POST /developers/members/{id}/remove"],
  "member.signed_in": [
    "GET /developers/sign-in/callback",
    "POST /developers/sign-in/link/confirm",
    "POST /developers/accounts",
  ],
  "member.switched_account": ["POST /developers/accounts"],
  "data.exported": [...FILES, "GET /developers/audit/csv", "GET /developers/{environment}/labels/merged"],
  "member.linked_to_provider": ["GET /developers/sign-in/callback"],
  "member.session_ended": ["POST /developers/sign-out", "POST /developers/sessions"],
  "member.signed_out_everywhere": ["POST /developers/sessions", "POST /developers/members/{id}/sessions"],
  "webhook.created": ["POST /api/v1/webhooks", "POST /developers/{environment}/webhooks/new"],
  "webhook.disabled": ["DELETE /api/v1/webhooks/{id}", "POST /developers/{environment}/webhooks/{id}/disable"],
  // Entries that the operator's commands write.
  "account.suspended": [],
  "account.resumed": [],
  "member.added": [],
  "member.sign_in_link_made_by_operator": [],
};

/** The effects of the other forms. */
const otherTraces: Record<string, string> = {
  "POST /developers/sign-in": "none: `member.signed_in` follows",
  "POST /developers/sign-in/link": "reads",
  "POST /developers/decline": "reads",
  "POST /developers/{environment}/views": "none: views are the member's own",
};

const LINKS = "refused sign-ins of a client";
const INVITATIONS = "invitations to an address, and of an account; 100 members";
const SUBSCRIPTIONS = "10 active subscriptions";

/** Limits of single operations, besides those of their group. */
const ownLimits: Record<string, string> = {
  "POST /api/v1/webhooks": SUBSCRIPTIONS,
  "POST /developers/sign-in": "links of a client; emails to an address; emails that wait",
  "GET /developers/sign-in/callback": "callbacks of a client; refused sign-ins of a client",
  "POST /developers/sign-in/link": LINKS,
  "POST /developers/sign-in/link/confirm": LINKS,
  "POST /developers/decline": LINKS,
  "POST /developers/decline/confirm": LINKS,
  "POST /developers/members/invite": INVITATIONS,
  "POST /developers/members/{id}/invite-again": INVITATIONS,
  ...Object.fromEntries(FILES.map((file) => [file, "10,000 rows, 60 s"])),
  "GET /developers/{environment}/labels/merged":
    "100 labels, 16 MiB; 6 wait at most, 8 s and 256 MiB, in a process of their own",
  "GET /developers/{environment}/labels/{id}/picture":
    "16 wait at most; 5 s and 96 MiB each, in a process of their own",
  "POST /developers/{environment}/views": "50 views of a member",
  "POST /developers/{environment}/keys/new": "50 active keys; 10 an hour and account, 200 an hour in all",
  "POST /developers/{environment}/webhooks/new": SUBSCRIPTIONS,
  "POST /developers/{environment}/webhooks/{id}/test": "10 tests a minute",
};

const applications: Record<PublicPart, (deps: never) => unknown> = {
  gateway: createApiApp,
  portal: createPortalApp,
  mcp: (deps) => {
    const app = express();
    serveMessages(app, deps);
    serveRegistration(app, deps);
  },
};

/** Every route of a part, as its application registers it. */
function registeredRoutes(part: PublicPart): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: stands for every dependency of the application; none of them is called here.
  const anything: any = new Proxy(() => anything, {
    get(_target, key) {
      // The application has default limits of pages.
      if (key === "pageLimits") return undefined;
      return key === Symbol.toPrimitive ? () => "" : anything;
    },
  });
  const registered = jest.spyOn(Router.prototype as Router, "route");
  applications[part](anything as never);
  const found = registered.mock.results.flatMap(({ value: { methods, path } }) =>
    [path].flat().flatMap((one) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${toPath(one)}`)),
  );
  registered.mockRestore();
  return found;
}

const toPath = (path: string) => path.replace(/[:*](\w+)/g, "{$1}");

function traceOf(row: string): string {
  const actions = Object.entries(writtenBy).filter(([, rows]) => rows.includes(row));
  if (actions.length > 0) return actions.map(([action]) => `\`${action}\``).join(", ");
  if (otherTraces[row]) return otherTraces[row];
  if (row.startsWith("GET ")) return "reads";
  if (row.startsWith(`POST ${BASE_PATH}/`)) return "request log";
  throw new Error(`Say in this file what trace ${row} leaves.`);
}

const code = (text: string) => `\`${text}\``;

const operations = apiOperations.map((route) => {
  const row = `${route.method} ${BASE_PATH}${route.path}`;
  return [row, code(route.scope), String(getWeight(route)), ownLimits[row] ?? "", traceOf(row)];
});

const area = pages.map((one) => {
  const row = `${one.method} ${AREA_PATH}${one.path}`;
  const fresh = (["sandbox", "live"] as const).filter((environment) => needsRecentSignIn(one, environment));
  const recent = ["", ", recent sign-in if live", ", recent sign-in"][fresh.length];
  const heavy = one.access !== "anyone" && isHeavy(one) ? "yes" : "";
  return [row, `${one.access}${recent}`, heavy, ownLimits[row] ?? "", traceOf(row)];
});

const agents = [
  ["POST /mcp", "answers messages, of at most 64 KiB together"],
  ["GET /mcp", "405"],
  ["DELETE /mcp", "405"],
  ["POST /register", "refuses a host's registration, and says what its key lacks"],
];

test("the MCP server has only the routes of agents", () => {
  expect(registeredRoutes("mcp")).toEqual(agents.map(([row]) => row));
});

const described = new Set([...operations, ...area].map(([row]) => row));
const documents = PUBLIC_OWNERS.flatMap((part) =>
  registeredRoutes(part)
    .filter((row) => !described.has(row))
    .map((row) => [row, part]),
);

/** The rows of a section's table, with single spaces. */
function rowsOf(section: string): string[] {
  const text = page.split(`\n## ${section}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = (text.match(/^\|.*\|$/gm) ?? []).slice(2);
  return rows.map(withSingleSpaces);
}

const withSingleSpaces = (row: string) => row.replace(/ +/g, " ");
const toRow = ([route = "", ...cells]: string[]) => withSingleSpaces(`| ${[code(route), ...cells].join(" | ")} |`);

const paths = PUBLIC_PATHS.map(({ path, match, part }) => [
  path,
  match === "exact" ? "only this path" : "all below it, too",
  part,
]);

describe("docs/operations/routes.md", () => {
  test.each([
    ["The part of a path", paths],
    ["Operations of the API", operations],
    ["Documents", documents],
    ["Agents", agents],
    ["The developer area", area],
  ])("has a row for each route in %s, which is what the code says", (section, rows) => {
    expect(rowsOf(section)).toEqual(rows.map(toRow));
  });

  test.each(PUBLIC_OWNERS)("the public paths of %s are those of its own routes", (part) => {
    const others = registeredRoutes(part).filter((row) => choosePart(row.replace(/^\w+ /, "")) !== part);
    expect(others).toEqual([]);
  });

  test("has a row for each path of the port for probes", () => {
    const source = readFileSync(join(root, "kit/src/process/health.ts"), "utf8");
    const paths = [...source.matchAll(/path [!=]== "(\/\w+)"/g)].map(([, path]) => code(`GET ${path}`));
    expect(
      rowsOf("The port for probes")
        .map((row) => row.split(" | ")[0]?.slice(2))
        .sort(),
    ).toEqual(paths.sort());
    expect(paths.length).toBeGreaterThan(2);
  });

  test("names only operations that exist", () => {
    const existing = new Set(PUBLIC_PARTS.flatMap(registeredRoutes));
    const named = [
      ...agents.map(([row = ""]) => row),
      ...Object.values(writtenBy).flat(),
      ...Object.keys(otherTraces),
      ...Object.keys(ownLimits),
    ];
    expect(named.filter((row) => !existing.has(row))).toEqual([]);
  });
});
