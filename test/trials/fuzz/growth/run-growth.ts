import { newIdempotencyKey } from "@shipping/gateway/testing/gateway-under-test";
import { exchange } from "@shipping/kit/testing/raw-http";
import { apiPlaces, mcpPlaces } from "./api-places.js";
import { hostileTexts, wholeTexts } from "./hostile-texts.js";
import { growsFaster, measureBase, measurePlace } from "./measure-place.js";
import { documentPlaces, headerPlaces, opsPlaces, pagePlaces } from "./page-places.js";
import { NEW_KEY, type Place, type Sender, type Sent } from "./place.js";
import { readers, readOnce } from "./readers.js";
import { startWorld } from "./world.js";

/** Every place of every request that the gateway reads. */
export function allPlaces(sender: Sender): Place[] {
  const known = [...apiPlaces(sender), ...mcpPlaces(sender), ...pagePlaces(sender)];
  return [
    ...known,
    ...documentPlaces(new Set(known.map(({ route }) => route))),
    ...headerPlaces(sender),
    ...opsPlaces(),
  ];
}

/** Gives each hostile text to each reader, sends it at each place, and yields those that cost too much. `only` is a part of the names of places. */
export async function runGrowth(only: string, say: (line: string) => void): Promise<string[]> {
  const faults = only ? [] : await tryReaders();
  for (const fault of faults) say(fault);
  const world = await startWorld();
  try {
    const places = allPlaces(world.sender).filter(({ route, at }) => `${route} ${at}`.includes(only));
    let route = "";
    for (const place of places) {
      if (place.route !== route) say(place.route);
      route = place.route;
      await world.forgetLimits();
      const found = await tryPlace(place, place.route.endsWith("of operators") ? world.opsPort : world.port);
      for (const fault of found) say(fault);
      faults.push(...found);
      if (!(await world.isSignedIn())) throw new Error(`${place.route}, ${place.at}: a text has signed a member out.`);
    }
    say(`${places.length} places, ${Object.keys(hostileTexts).length} texts, ${faults.length} faults`);
    return faults;
  } finally {
    await world.stop();
  }
}

async function tryPlace({ route, at, put }: Place, port: number): Promise<string[]> {
  const prepare = (text: string) => {
    const sent = put(text);
    return () => exchange(port, headOf(sent), sent.body ?? "");
  };
  const baseMs = await measureBase(prepare("a"));
  const faults: string[] = [];
  for (const [name, make] of Object.entries(hostileTexts)) {
    const fault = await measurePlace((size) => prepare(make(size)), baseMs);
    if (fault) faults.push(`${route}, ${at}: ${name}: ${fault}`);
  }
  return faults;
}

/** Gives each text to each reader in this process, and yields those whose cost grows faster than the text. */
export async function tryReaders(): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, reader] of Object.entries(readers)) {
    for (const [kind, make] of Object.entries({ ...hostileTexts, ...wholeTexts })) {
      const prepare = (size: number) => {
        // In one piece, as from the wire, instead of a rope of repeated parts.
        const text = Buffer.from(make(size), "utf16le").toString("utf16le");
        return () => readOnce(reader, text);
      };
      if (await growsFaster(prepare, reader.most)) faults.push(`${name}: ${kind}: its cost grows faster than the text`);
    }
  }
  return faults;
}

function headOf({ method, path, headers, body }: Sent): string {
  const all = {
    host: "127.0.0.1",
    connection: "close",
    ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
    ...headers,
  };
  const lines = Object.entries(all).map(
    ([name, value]) => `${name}: ${value === NEW_KEY ? newIdempotencyKey() : value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
