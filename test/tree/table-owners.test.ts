import { DATABASE_OWNERS, PARTS, PUBLIC_PARTS } from "@shipping/proto/parts";
import { read, sources } from "./sources.js";

// A test outside a part calls what the part exports in `src/testing`, which the part's own tests prove. A file that names a table itself would
// fail in the platform after a change that is green in the part.

/** Files with statements on tables of the services. Each has a reason; the list only gets shorter. */
const OF_SERVICES: Record<string, string> = {
  "test/tree/migrations.test.ts": "tests how the migrations of the parts lay out their tables",
  "test/tree/table-owners.test.ts": "has examples",
  "test/trials/abuse/attacks/member.ts": "a trial: not moved yet",
  "test/trials/chaos/audit.ts": "a trial: not moved yet",
  "test/trials/chaos/deliveries/bad-neighbours.ts": "a trial: not moved yet",
  "test/trials/chaos/deliveries/killed-dispatchers.ts": "a trial: not moved yet",
  "test/trials/chaos/member-forms.ts": "a trial: not moved yet",
  "test/trials/failover/migrations.ts": "a trial: not moved yet",
  "test/trials/failover/postgres/lost-writes.ts": "a trial: not moved yet",
  "test/trials/faults/dispatch.ts": "quotes code of webhooks",
  "test/trials/restore/archived-postgres.ts": "a trial: not moved yet",
};

/** Tests with statements on tables of the gateway and the portal, which do not export functions for all of them yet. The list only gets shorter. */
const OF_GATEWAY_AND_PORTAL: readonly string[] = [
  "test/developers/area.ts",
  "test/developers/audit.test.ts",
  "test/developers/fields.test.ts",
  "test/developers/held-forms.test.ts",
  "test/developers/keys.test.ts",
  "test/developers/labels.test.ts",
  "test/developers/lists.test.ts",
  "test/developers/missing-gateway.test.ts",
  "test/developers/provider-accounts.test.ts",
  "test/developers/provider.test.ts",
  "test/developers/sign-in-mail.test.ts",
  "test/developers/sign-in.test.ts",
  "test/developers/webhook-tests.test.ts",
  "test/edge/audit-feeds.test.ts",
  "test/edge/busy-account.ts",
  "test/edge/member-commands.test.ts",
  "test/edge/operator-commands.test.ts",
  "test/flows/fault-points.test.ts",
];

/** It compares the platform with statements on tables of its own. */
const FLOOR = "test/trials/bench/floor/";

/** Finds tables of these parts in statements, and in calls of the functions that read whole rows. */
function tablesOf(isOf: (part: string) => boolean): RegExp {
  const names = DATABASE_OWNERS.filter(isOf).flatMap(
    (part) => read(`${PARTS[part].folder}/prisma/schema.prisma`).match(/(?<=@@map\(")\w+/g) ?? [],
  );
  const table = `"?(?:${[...new Set(names)].join("|")})\\b`;
  return new RegExp(
    `\\b(?:FROM|INTO|UPDATE|JOIN|TABLE|ANALYZE) +${table}|\\b(?:rowsIn|countIn)(?:<[^>]*>)?\\([^()]*, *${table}`,
  );
}

const isService = (part: string) => !PUBLIC_PARTS.some((one) => one === part);
const [ofServices, ofOthers] = [tablesOf(isService), tablesOf((part) => !isService(part))];
const naming = (tables: RegExp) =>
  sources.filter(({ path, text }) => path.startsWith("test/") && tables.test(text)).map(({ path }) => path);

test.each([
  ["SELECT FROM orders", true],
  ['DELETE FROM "orders"', true],
  ["INSERT INTO dead_events (id)", true],
  ["UPDATE subscriptions SET", true],
  ['countIn(stack.databases.carrier, "labels", { accountId })', true],
  ["SELECT FROM orders_away", false],
  ["all events of labels", false],
])("%j names a table of a service: %s", (text, isNamed) => {
  expect(ofServices.test(text)).toBe(isNamed);
});

test("no test names a table of a service", () => {
  const found = naming(ofServices).filter((path) => !path.startsWith(FLOOR));
  expect(found.filter((path) => !(path in OF_SERVICES))).toEqual([]);
  expect(Object.keys(OF_SERVICES).filter((path) => !found.includes(path))).toEqual([]);
});

test("no test names a table of gateway or portal, except those that are still to be moved", () => {
  const found = naming(ofOthers).filter((path) => !path.startsWith("test/trials/"));
  expect(found.filter((path) => !OF_GATEWAY_AND_PORTAL.includes(path))).toEqual([]);
  expect(OF_GATEWAY_AND_PORTAL.filter((path) => !found.includes(path))).toEqual([]);
});
