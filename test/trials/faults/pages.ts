import type { Fault } from "./fault.js";

export const pages: readonly Fault[] = [
  {
    breaks: "A viewer changes nothing, whichever form they send.",
    file: "services/portal/src/serve-area.ts",
    original: `if (page.access === "admin" && session.role !== "admin") {`,
    replacement: `if (page.method === "GET" && page.access === "admin" && session.role !== "admin") {`,
    noticedBy: "test/developers/pages.test.ts",
  },
  {
    breaks: "A form whose sender was removed while its body was on the way changes nothing.",
    file: "services/portal/src/serve-area.ts",
    original: "const { session, refusal } = changesAccount ? await checkAccess() : before;",
    replacement: "const { session, refusal } = before;",
    noticedBy: "test/developers/held-forms.test.ts",
  },
  {
    breaks: "A form of another port of the same site is refused (CSRF).",
    file: "services/portal/src/page/read-form.ts",
    original: `if (site) return site.length === 1 && site[0] === "same-origin";`,
    replacement: `if (site) return site.length === 1 && site[0] !== "cross-site";`,
    noticedBy: "test/developers/sign-in.test.ts",
  },
  {
    breaks: "Signing in by a link ends the session that the browser had.",
    file: "services/portal/src/sign-in/sign-in-link.tsx",
    original: "  await endSession(deps, request.cookies);\n",
    replacement: "",
    noticedBy: "test/developers/sign-in.test.ts",
  },
  {
    breaks: "An admin who signs a member out everywhere ends that member's sessions.",
    file: "services/portal/src/account/sessions.tsx",
    original: "await endSessions(deps, { accountId, memberId: id, email }, actor);",
    replacement: "await endSessions(deps, { accountId, memberId: session.memberId, email }, actor);",
    noticedBy: "test/developers/sessions.test.ts",
  },
  {
    breaks: "The audit log shows the entries of its account alone.",
    file: "services/portal/src/account/audit-filter.tsx",
    original: "const wanted = [sql`account_id = \u0024{accountId}`, ",
    replacement: "const wanted = [",
    noticedBy: "test/developers/pages.test.ts",
  },
  {
    breaks: "Markup in a name that a customer has chosen is text.",
    file: "services/portal/src/page/text.tsx",
    original: "export function Text({ children }: { children: string }) {\n  return <bdi>{visible(children)}</bdi>;",
    replacement:
      "export function Text({ children }: { children: string }) {\n  return <bdi dangerouslySetInnerHTML={{ __html: visible(children) }} />;",
    noticedBy: "test/developers/keys.test.ts",
  },
  {
    breaks: "A label that a member voids in the developer area is in the audit log.",
    file: "gateway/src/api/handlers/routes.ts",
    original: 'voidLabel: { owner: "carrier", isLogged: true, handler: voidLabel }',
    replacement: 'voidLabel: { owner: "carrier", handler: voidLabel }',
    noticedBy: "test/developers/labels.test.ts",
  },
  {
    breaks: "`key create` refuses a list of scopes with one that does not exist.",
    file: "cli/src/commands/key-commands.ts",
    original: "if (unknown.length > 0) {",
    replacement: "if (unknown.length === wanted.length) {",
    noticedBy: "test/commands/run-admin.test.ts",
  },
  {
    breaks: "A duration of a command has an upper bound.",
    file: "cli/src/tools/options.ts",
    original: "if (!(durationMs <= MAX_MS)) {",
    replacement: "if (Number.isNaN(durationMs)) {",
    noticedBy: "cli/src/tools/options.test.ts",
  },
];
