import { randomInt } from "node:crypto";
import getPort, { portNumbers } from "get-port";

/**
 * A free port of 127.0.0.1 for a server that is told its port. It is below the ports that the system gives to connections and to servers on port
 * 0, so that none of them takes it before that server listens.
 */
export const freePort = (): Promise<number> =>
  getPort({ host: "127.0.0.1", port: portNumbers(randomInt(20_000, 32_000), 32_767) });
