import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

type Json = Record<string, unknown>;

/** Members whose values docs/versioning.md allows to be new. */
const NEW_VALUES: Json = {
  api_version: "v1.1",
  amount: 5.25,
  carrier: "carrier_of_tomorrow",
  currency: "XTS",
  format: "zpl",
  service: "service_of_tomorrow",
  test: false,
};

/** The end of the IDs of tomorrow, which are longer and have other characters. */
const ENDING = `.Of-Tomorrow${"-0".repeat(80)}`;
const ID = /(?:(?:ord|shp|lbl|whk)_[a-z2-7]{26}|TEST[0-9A-Z]+)/g;

const lengthened = (text: string) => text.replaceAll(ID, `$&${ENDING}`);
const shortened = (text: string) => text.replaceAll(ENDING, "");

export interface TomorrowsPlatform {
  baseUrl: string;
  stop(): Promise<void>;
}

/** A proxy in front of the API that answers as a later version may: new members everywhere, IDs of a new form, new states, codes, carriers and event types. */
export async function startTomorrow(target: string): Promise<TomorrowsPlatform> {
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host, connection, upgrade, "content-length": _, ...headers } = request.headers;
    const body = shortened((await buffer(request)).toString());
    const answer = await fetch(new URL(shortened(request.url ?? "").slice(1), new URL("/", target)), {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const type = answer.headers.get("content-type") ?? "";
    const sent =
      type === "application/json" ? lengthened(JSON.stringify(changed(JSON.parse(bytes.toString())))) : bytes;
    response.writeHead(answer.status, { "content-type": type, "content-length": Buffer.byteLength(sent) }).end(sent);
  }

  const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}${new URL(target).pathname}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function changed(value: unknown, name = ""): unknown {
  if (name === "metadata") return value;
  if (name === "events" && Array.isArray(value))
    return value.length > 0 ? [...value, "label.printed"] : [{ status: "new" }];
  if (Array.isArray(value)) return value.map((item) => changed(item));
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([member, inner]) => [member, changed(inner, member)]);
    return { ...Object.fromEntries(members), of_tomorrow: { list: [1, "two", null] } };
  }
  if (name === "status" || name === "code") return `${value}_tomorrow`;
  return name in NEW_VALUES ? NEW_VALUES[name] : value;
}
