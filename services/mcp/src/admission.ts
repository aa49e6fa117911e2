import { createHash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { ACCOUNT_HEADER, MCP_PATH, REFUSAL_HEADER, writeRefusal } from "@shipping/api/agent-messages";
import { findKeyElsewhere } from "@shipping/api/explain-no-key";
import { type Failure, fail } from "@shipping/kit/errors";
import { getClientAddress } from "@shipping/kit/http/client-address";
import { Outage } from "@shipping/kit/rpc/outage";
import type { McpDeps } from "./deps.js";
import type { GatewayAnswer } from "./exchange.js";
import type { SentHeaders } from "./gateway.js";

/** How many keys are remembered with their accounts. */
const MAX_KEYS = 10_000;

/** The refusal of a message, as the gateway has answered it. */
export class Refused extends Error {
  constructor(readonly answer: GatewayAnswer) {
    super(`The gateway answered ${answer.status}.`);
  }
}

export type Admission = ReturnType<typeof createAdmission>;

/**
 * Has the gateway admit the senders of messages and refuse bad ones, so that its limits, pace and request log are those of any request. The account of
 * a key is remembered, because it never changes. This admits nobody: the gateway checks the key of each message, or of the request that it causes.
 */
export function createAdmission({ gateway, trustedProxies }: Pick<McpDeps, "gateway" | "trustedProxies">) {
  const accounts = new Map<string, string>();
  const waiting = new Set<ServerResponse>();

  /** The headers that name the client of a request to the gateway. */
  const clientOf = (req: IncomingMessage) => ({ "x-forwarded-for": getClientAddress(req, trustedProxies) });

  async function ask(req: IncomingMessage, res: ServerResponse, more: SentHeaders = {}): Promise<GatewayAnswer> {
    const { authorization } = req.headersDistinct;
    const headers = { ...clientOf(req), authorization, "user-agent": req.headers["user-agent"], ...more };
    let isGone = false;
    let abort = () => {};
    const leave = () => {
      isGone = true;
      abort();
    };
    res.once("close", leave);
    waiting.add(res);
    const send = async () => {
      const sent = gateway.send(req.method ?? "", MCP_PATH, onlyGiven(headers));
      abort = sent.abort;
      const answer = await sent.answer;
      // Each response of a gateway has an ID. Others come from something in between.
      if (answer.headers["x-request-id"] === undefined) throw new Error(`answered ${answer.status} without an ID`);
      return answer;
    };
    try {
      // The connection, or the gateway behind it, may just have ended.
      return await send().catch((error) => (isGone ? Promise.reject(error) : send()));
    } catch (cause) {
      throw new Outage("gateway_unavailable", { cause });
    } finally {
      waiting.delete(res);
      res.off("close", leave);
    }
  }

  /** Has the gateway refuse a message. */
  const refuse = (req: IncomingMessage, res: ServerResponse, failure: Failure, isEarly: boolean) =>
    ask(req, res, { [REFUSAL_HEADER]: writeRefusal(failure, isEarly) });

  return {
    clientOf,
    /** The account of a key that the gateway has admitted before. */
    accountOf: (req: IncomingMessage) => accounts.get(hashOf(req)),
    forget: (req: IncomingMessage) => void accounts.delete(hashOf(req)),
    /** Returns the account of the sender, or throws the gateway's refusal. */
    async admit(req: IncomingMessage, res: ServerResponse): Promise<string> {
      // The gateway gets only the header in which a key belongs.
      const mistake = req.headersDistinct.authorization ? undefined : findKeyElsewhere(req);
      const answer = await (mistake ? refuse(req, res, fail("unauthorized", mistake), true) : ask(req, res));
      const account = answer.headers[ACCOUNT_HEADER];
      if (typeof account !== "string") throw new Refused(answer);
      if (accounts.size >= MAX_KEYS) accounts.delete(accounts.keys().next().value ?? "");
      accounts.set(hashOf(req), account);
      passOn(answer.headers, res);
      return account;
    },
    refuse,
    /** Whether a response waits for the gateway, which delays refusals of bad keys. */
    isWaiting: (res: ServerResponse) => waiting.has(res),
  };
}

/** The headers of each response of the gateway that the sender gets, too. */
const HEADERS = ["x-request-id", "ratelimit-policy", "ratelimit"];

/** Those of a refusal. */
export const REFUSAL_HEADERS = [...HEADERS, "www-authenticate", "retry-after"];

export function passOn(headers: IncomingHttpHeaders, res: ServerResponse, names = HEADERS): void {
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) res.setHeader(name, value);
  }
}

// Keys are not kept in clear text.
function hashOf({ headersDistinct }: IncomingMessage): string {
  return createHash("sha256")
    .update((headersDistinct.authorization ?? []).join("\n"))
    .digest("base64");
}

function onlyGiven(headers: SentHeaders): SentHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}
