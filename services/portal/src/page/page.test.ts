import { type AccountPage, needsRecentSignIn } from "./page.js";

const page = (access: AccountPage["access"], path: string) =>
  ({ method: "POST", path, access, handler: async () => ({ location: "/" }) }) as const;

test.each([
  ["changes live keys", page("admin", "/{environment}/keys/new"), "live", true],
  ["changes live subscriptions", page("admin", "/{environment}/webhooks/{id}/disable"), "live", true],
  ["changes members, who belong to both", page("admin", "/members/invite"), "sandbox", true],
  ["changes the sandbox", page("admin", "/{environment}/webhooks/new"), "sandbox", false],
  ["changes nothing", page("viewer", "/{environment}/keys"), "live", false],
  ["changes nothing of both", page("viewer", "/members"), "sandbox", false],
] as const)("a page that %s takes a sign-in of the last minutes", (_what, route, environment, expected) => {
  expect(needsRecentSignIn(route, environment)).toBe(expected);
});
