import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { DataFolder } from "../data-folder.js";
import { addressFile, dataFolders, moveAddress } from "../standby/address.js";
import { copyServer, follow, removeServer } from "../standby/copy-server.js";
import { prepareReplication, STANDBY, untilStreaming } from "../standby/replication.js";
import type { Servers } from "./run-servers.js";
import { type PostgresPlace, postgresAddress, postgresServer } from "./servers.js";

/** As long as a setting of the primary is not above the standby's, the standby follows. */
const STANDBY_CONNECTIONS = 2_000;

/**
 * Starts PostgreSQL with a standby that follows it, and an address that leads to the primary. `sync` commits wait until the standby has
 * them. A primary that ends stays down: the standby may have been promoted meanwhile. Yields the superuser's URL at the address.
 */
export async function startPair(options: {
  /** `port` is the address's. */
  at: PostgresPlace;
  ports: [primary: number, standby: number];
  mode: "sync" | "async";
  folder: DataFolder;
  servers: Servers;
}): Promise<string> {
  const { at, mode, folder, servers } = options;
  const [primaryPort, standbyPort] = options.ports;
  const primary = postgresServer(
    { ...at, port: primaryPort },
    {
      name: "postgres-1",
      dataFolder: dataFolders["postgres-1"],
      settings: { synchronous_standby_names: mode === "sync" ? STANDBY : "" },
    },
  );
  primary.staysDown = "It stays down, because it has a standby. To promote that: npm run cluster -- --promote";
  await servers.start("stores", primary);

  const password = await folder.keep("replication-password", () => randomBytes(18).toString("base64url"));
  const standbyDir = join(folder.path, dataFolders["postgres-2"]);
  const complete = await prepareReplication(primary.url(), password);
  if (!complete || !(await stat(join(standbyDir, "standby.signal")).catch(() => undefined))) {
    await removeServer(standbyDir);
    await copyServer({ url: primary.url(), dataDir: join(folder.path, dataFolders["postgres-1"]) }, standbyDir);
  }
  const connection = { host: "127.0.0.1", port: primaryPort, user: STANDBY, password, application_name: STANDBY };
  await follow(standbyDir, "standby", {
    primary_conninfo: Object.entries(connection)
      .map(([name, value]) => `${name}=${value}`)
      .join(" "),
    primary_slot_name: STANDBY,
    wal_retrieve_retry_interval: "500ms",
  });
  const standby = postgresServer(
    { ...at, port: standbyPort, maxConnections: STANDBY_CONNECTIONS },
    { name: "postgres-2", dataFolder: dataFolders["postgres-2"] },
  );
  await servers.start("stores", standby);
  await untilStreaming(primary.url(), mode);

  moveAddress(folder.path, { server: "postgres-1", port: primaryPort });
  await servers.start("stores", postgresAddress({ port: at.port, file: addressFile(folder.path), logs: at.logs }));
  const url = new URL(primary.url());
  url.port = String(at.port);
  return url.href;
}
