import type { ServerResponse } from "node:http";
import type { Metrics } from "../../process/metrics.js";

/** Limits of the response bytes that wait for clients to read them. */
export interface UnreadLimits {
  total: number;
  perAccount: number;
}

/** Room for eight of the largest pages for one account, and for sixty-four in total. */
export const DEFAULT_UNREAD: UnreadLimits = { total: 64 * 1024 * 1024, perAccount: 8 * 1024 * 1024 };

export type UnreadBytes = ReturnType<typeof createUnreadBytes>;

interface Account {
  bytes: number;
  /** The unread bytes of each response, least recently written first. A response can be written to again only when its client reads. */
  responses: Map<ServerResponse, number>;
}

/**
 * Above a limit, closes the connection of the response that has waited longest: of the account that is above its own limit, or else of the account
 * with the most unread bytes. An account's only response may be larger than the account's limit, because its client could not read it otherwise.
 */
export function createUnreadBytes(limits: UnreadLimits) {
  const accounts = new Map<string, Account>();
  let total = 0;
  let cut = 0;

  function set(account: Account, response: ServerResponse, bytes: number): void {
    const change = bytes - (account.responses.get(response) ?? 0);
    account.responses.set(response, bytes);
    account.bytes += change;
    total += change;
  }

  function remove(id: string, account: Account, response: ServerResponse): void {
    // The response was cut, and by now the account may have others.
    if (!account.responses.has(response)) return;
    set(account, response, 0);
    account.responses.delete(response);
    if (account.responses.size === 0) accounts.delete(id);
  }

  /** Updates the counts, because clients may have read since the last count. */
  function recount(account: Account): void {
    for (const response of account.responses.keys()) set(account, response, response.writableLength);
  }

  function recountAll(): void {
    for (const account of accounts.values()) recount(account);
  }

  function cutOldest(id: string, account: Account): void {
    for (const [response, bytes] of account.responses) {
      if (bytes === 0) continue;
      cut++;
      remove(id, account, response);
      // A pipelined response has no socket yet, so `response.destroy` would not close the connection. The reset also drops the bytes in the kernel.
      response.req.socket.resetAndDestroy();
      return;
    }
  }

  function cutDown(id: string, account: Account): void {
    if (account.bytes > limits.perAccount) recount(account);
    while (account.bytes > limits.perAccount && account.responses.size > 1) cutOldest(id, account);
    if (total > limits.total) recountAll();
    while (total > limits.total) {
      const [most] = [...accounts].sort(([, a], [, b]) => b.bytes - a.bytes);
      if (!most) return;
      cutOldest(...most);
    }
  }

  return {
    /** Counts the bytes of a response after some were written. Responses without an account are counted together. */
    count(response: ServerResponse, id = ""): void {
      const bytes = response.writableLength;
      const known = accounts.get(id);
      const isKnown = known?.responses.has(response) ?? false;
      // Most responses fit into the send buffer of the socket. A closed one was cut.
      if (bytes === 0 && !isKnown) return;
      if (response.destroyed || response.req.socket.destroyed) return;
      const account = known ?? { bytes: 0, responses: new Map() };
      accounts.set(id, account);
      if (isKnown) {
        set(account, response, 0);
        account.responses.delete(response);
      } else response.once("close", () => remove(id, account, response));
      set(account, response, bytes);
      cutDown(id, account);
    },
    load() {
      recountAll();
      return { bytes: total, cut };
    },
  };
}

export function measureUnread(metrics: Metrics, unread: UnreadBytes, limits: UnreadLimits): void {
  const help = {
    http_bytes_waiting: "Bytes of responses waiting to be read by their clients.",
    http_bytes_waiting_max: "The most bytes that may wait. Beyond that, the longest-waiting responses are cut off.",
    http_answers_cut: "Responses cut off since the start because too many bytes were waiting.",
  };
  metrics.gauges(help, () => {
    const { bytes, cut } = unread.load();
    return { http_bytes_waiting: bytes, http_bytes_waiting_max: limits.total, http_answers_cut: cut };
  });
}
