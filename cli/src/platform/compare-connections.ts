import type { Finding } from "@shipping/kit/service/finding";
import type { DatabaseServer } from "@shipping/proto/shipping/operations/v1/operations_pb";
import type { Part } from "./parts.js";
import type { Build } from "./read-builds.js";

/** A part, and the PostgreSQL server that it says that it uses. */
export interface PartOnServer {
  part: Part;
  server: Pick<DatabaseServer, "server" | "maxConnections" | "connections">;
}

const ADVICE =
  "Raise max_connections, lower DATABASE_POOL, or use PgBouncer (docs/operations/capacity.md, database connections). Until then, replicas share what they got.";

/** Compares, for each PostgreSQL server, the connections that all replicas of its parts may open with those that it takes. */
export function compareConnections(found: readonly PartOnServer[], builds: readonly Build[]): Finding[] {
  const servers = new Map(found.map(({ server }) => [server.server, server]));
  return [...servers.values()].map(({ server, maxConnections, connections }) => {
    const sharing = found.filter((one) => one.server.server === server);
    const parts = sharing.map(({ part }) => part);
    const most = builds
      .filter(({ part }) => parts.includes(part))
      .reduce((sum, build) => sum + build.maxDatabaseConnections, 0);
    const says = `${parts.join(", ")} open up to ${most} to a server that takes ${maxConnections} and has ${connections} now`;
    const ok = most <= maxConnections;
    return { part: "database connections", ok, says, ...(!ok && { advice: ADVICE }) };
  });
}
