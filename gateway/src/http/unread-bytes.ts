import type { ServerResponse } from "node:http";
import type { Metrics } from "@shipping/kit/process/metrics";

/** How many bytes of responses may be waiting to be read by clients. */
export interface UnreadLimits {
  total: number;
  perAccount: number;
}

/** Eight of the largest pages for one account, and sixty-four for all. */
export const DEFAULT_UNREAD: UnreadLimits = { total: 64 * 1024 * 1024, perAccount: 8 * 1024 * 1024 };

export type UnreadBytes = ReturnType<typeof createUnreadBytes>;

interface Account {
  bytes: number;
  /** Oldest first. */
  responses: Map<ServerResponse, number>;
}

/**
 * Above a limit, closes the connection of the oldest unread response: of the account that is above its own limit, or else of the account with
 * the most unread bytes.
 */
export function createUnreadBytes(limits: UnreadLimits) {
  const accounts = new Map<string, Account>();
  let total = 0;
  let cut = 0;

  function remove(id: string, account: Account, response: ServerResponse): void {
    const bytes = account.responses.get(response);
    // It was cut, and by now the account may have others.
    if (bytes === undefined) return;
    account.responses.delete(response);
    account.bytes -= bytes;
    total -= bytes;
    if (account.responses.size === 0) accounts.delete(id);
  }

  function cutOldest(id: string, account: Account): void {
    const [response] = account.responses.keys();
    if (!response) return;
    cut++;
    remove(id, account, response);
    // A pipelined response has no socket of its own yet, so `response.destroy` would not close it.
    response.req.socket.destroy();
  }

  function cutDown(id: string, account: Account): void {
    while (account.bytes > limits.perAccount) cutOldest(id, account);
    while (total > limits.total) {
      const [most] = [...accounts].sort(([, a], [, b]) => b.bytes - a.bytes);
      if (!most) return;
      cutOldest(...most);
    }
  }

  return {
    /** Counts the unsent bytes of an ended response. Responses without an account are counted together. */
    add(response: ServerResponse, id = ""): void {
      const bytes = response.writableLength;
      // Most responses fit into the send buffer of the socket.
      if (bytes === 0 || !response.writableEnded || response.writableFinished || response.destroyed) return;
      const account = accounts.get(id) ?? { bytes: 0, responses: new Map() };
      accounts.set(id, account);
      account.responses.set(response, bytes);
      account.bytes += bytes;
      total += bytes;
      response.once("close", () => remove(id, account, response));
      cutDown(id, account);
    },
    load: () => ({ bytes: total, cut }),
  };
}

export function measureUnread(metrics: Metrics, unread: UnreadBytes, limits: UnreadLimits): void {
  const help = {
    gateway_bytes_waiting: "Bytes of responses waiting to be read by their clients.",
    gateway_bytes_waiting_max: "The most bytes that may wait. Beyond that, the longest-waiting responses are cut off.",
    gateway_answers_cut: "Responses cut off since the start because too many bytes were waiting.",
  };
  metrics.gauges(help, () => {
    const { bytes, cut } = unread.load();
    return { gateway_bytes_waiting: bytes, gateway_bytes_waiting_max: limits.total, gateway_answers_cut: cut };
  });
}
