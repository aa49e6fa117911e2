import { compareConnections } from "./compare-connections.js";
import type { Part } from "./parts.js";

const on = (part: Part, server: string) => ({ part, server: { server, maxConnections: 25, connections: 12 } });
const replicaOf = (part: Part, number: number) => ({
  ...{ part, process: `${part}-${number}:1`, version: "1", revision: "a" },
  maxDatabaseConnections: 10,
});

test("the connections of all replicas of the parts on a server are compared with those that it takes", () => {
  const found = compareConnections(
    [on("records", "one"), on("carrier", "one"), on("portal", "two")],
    [replicaOf("records", 1), replicaOf("records", 2), replicaOf("carrier", 1), replicaOf("portal", 1)],
  );
  expect(found).toEqual([
    {
      part: "database connections",
      ok: false,
      says: "records, carrier open up to 30 to a server that takes 25 and has 12 now",
      advice: expect.stringMatching(/^Raise max_connections, lower DATABASE_POOL, or use PgBouncer/),
    },
    {
      part: "database connections",
      ok: true,
      says: "portal open up to 10 to a server that takes 25 and has 12 now",
    },
  ]);
});

test("a part behind a pooler, or of an earlier release, is not compared", () => {
  expect(compareConnections([], [replicaOf("records", 1)])).toEqual([]);
});
