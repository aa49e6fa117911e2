import { setTimeout as sleep } from "node:timers/promises";
import { errors } from "@shipping/proto/errors";
import { request } from "undici";
import type { ClusterUnderTest } from "../../../platform/cluster.js";

/** The observations of a customer who watches the API. */
export interface ClearAnswers {
  /** Answers by status and code. */
  seen(): Record<string, number>;
  /** Responses that no customer should see, as sentences; the first ten. */
  unclear: readonly string[];
  stop(): Promise<void>;
}

const PATHS = ["/account", "/orders?limit=5", "/shipments?limit=5", "/labels?limit=5", "/webhooks"];
const EVERY_MS = 100;
const TIMEOUT_MS = 12_000;

/** Reads every list repeatedly, one request at each gateway every tenth of a second, even while earlier responses are open. */
export function watchAnswers({ gateways }: ClusterUnderTest, key: string): ClearAnswers {
  const seen: Record<string, number> = {};
  const unclear: string[] = [];
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const told = (sentence: string) => void (unclear.length < 10 && unclear.push(sentence));

  async function look(url: string): Promise<void> {
    const answer = await request(url, {
      headers: { authorization: `Bearer ${key}` },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    const text = await answer.body.text();
    const fault = faultOf(answer.statusCode, answer.headers, text);
    if (fault) told(`${url}: ${answer.statusCode} ${fault}: ${text.slice(0, 200)}`);
    const name = answer.statusCode === 200 ? "200" : `${answer.statusCode} ${codeIn(text)}`;
    seen[name] = (seen[name] ?? 0) + 1;
  }

  const watching = (async () => {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      for (const gateway of gateways) {
        const url = `${gateway}${PATHS[turn % PATHS.length]}`;
        const one = look(url)
          .catch((error) => told(`${url}: ${error}`))
          .finally(() => underWay.delete(one));
        underWay.add(one);
      }
      await sleep(EVERY_MS);
    }
  })();

  return {
    seen: () => seen,
    unclear,
    async stop() {
      stopping.abort();
      await watching;
      await Promise.all(underWay);
    },
  };
}

function faultOf(status: number, headers: Record<string, unknown>, text: string): string | undefined {
  if (!String(headers["content-type"]).startsWith("application/json")) return "is not JSON";
  if (status === 200) return undefined;
  if (status !== 503) return "is neither a success nor 503";
  if (!/^\d+$/.test(String(headers["retry-after"]))) return "has no Retry-After";
  return codeIn(text) in errors ? undefined : "has no code of the contract";
}

function codeIn(text: string): string {
  try {
    return String(JSON.parse(text).error.code);
  } catch {
    return "none";
  }
}
