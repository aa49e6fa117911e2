import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import { choosePart, toPath } from "@shipping/kit/http/public-paths";
import type { PublicPart } from "@shipping/proto/parts";

/**
 * Starts the one public address of a cluster, as an Ingress is in production: each request goes to a process of the part that answers its path, and
 * the processes of a part take turns.
 */
export async function startFront(at: { host: string; port: number; processes: Record<PublicPart, readonly string[]> }) {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const server = createServer((req, res) => {
    const chosen = choosePart(toPath(req.url));
    // The gateway answers for a part that does not run.
    const part = at.processes[chosen].length > 0 ? chosen : "gateway";
    const processes = at.processes[part];
    const { hostname, port } = new URL(processes[turn++ % processes.length]!);
    const target = { host: hostname.replace(/[[\]]/g, ""), port, method: req.method, path: req.url, agent };
    const passedOn = request({ ...target, headers: req.rawHeaders, setHost: false }, (answer) => {
      res.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(res);
      answer.once("error", () => res.destroy());
    });
    passedOn.once("error", () => {
      if (res.headersSent) res.destroy();
      else res.writeHead(502, { "content-type": "text/plain" }).end(`This process of ${part} is not responding.\n`);
    });
    res.once("close", () => passedOn.destroy());
    req.pipe(passedOn);
  });
  server.listen(at.port, at.host);
  await once(server, "listening");
  return {
    async stop(): Promise<void> {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
