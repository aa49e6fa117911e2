import type { ServerResponse } from "node:http";
import type { Metrics } from "@shipping/kit/process/metrics";

/** How many bytes of answers may wait for their readers, in this process and of one account. */
export interface WaitingLimits {
  inAll: number;
  ofAccount: number;
}

/** Eight of the largest pages for one account, and sixty-four for all. */
export const DEFAULT_WAITING: WaitingLimits = { inAll: 64 * 1024 * 1024, ofAccount: 8 * 1024 * 1024 };

/** Keeps unread answers from filling the memory. */
export interface WaitingBytes {
  /** Counts the bytes that an ended response still has to write, for its account, or for no account. */
  add(response: ServerResponse, account: string | undefined): void;
  load(): { bytes: number; cut: number };
}

interface Account {
  bytes: number;
  /** In the order in which they were ended. */
  responses: Map<ServerResponse, number>;
}

/**
 * Beyond a limit, the connection with the oldest waiting answer is closed: of the account that has reached its own limit, or else of the
 * account with the most waiting bytes.
 */
export function createWaitingBytes(limits: WaitingLimits): WaitingBytes {
  const accounts = new Map<string, Account>();
  let inAll = 0;
  let cut = 0;

  function remove(id: string, account: Account, response: ServerResponse): void {
    const bytes = account.responses.get(response) ?? 0;
    account.responses.delete(response);
    account.bytes -= bytes;
    inAll -= bytes;
    if (account.responses.size === 0) accounts.delete(id);
  }

  function cutOldest(id: string, account: Account): void {
    const [response] = account.responses.keys();
    if (!response) return;
    cut++;
    remove(id, account, response);
    // Not through the response: one that is queued behind another has no socket yet.
    response.req.socket.destroy();
  }

  function cutDown(id: string, account: Account): void {
    while (account.bytes > limits.ofAccount) cutOldest(id, account);
    while (inAll > limits.inAll) {
      const [most] = [...accounts].sort(([, a], [, b]) => b.bytes - a.bytes);
      if (!most) return;
      cutOldest(...most);
    }
  }

  return {
    add(response, id = "") {
      const bytes = response.writableLength;
      // The kernel has already accepted most answers completely.
      if (bytes === 0 || !response.writableEnded || response.writableFinished || response.destroyed) return;
      const account = accounts.get(id) ?? { bytes: 0, responses: new Map() };
      accounts.set(id, account);
      account.responses.set(response, bytes);
      account.bytes += bytes;
      inAll += bytes;
      response.once("close", () => remove(id, account, response));
      cutDown(id, account);
    },
    load: () => ({ bytes: inAll, cut }),
  };
}

/** Measures what waits in this process. */
export function measureWaiting(metrics: Metrics, waiting: WaitingBytes, limits: WaitingLimits): void {
  const help = {
    gateway_bytes_waiting: "Bytes of responses waiting to be read by their clients.",
    gateway_bytes_waiting_max: "The most bytes that may wait. Beyond that, the longest-waiting responses are cut off.",
    gateway_answers_cut: "Responses cut off since the start because too many bytes were waiting.",
  };
  metrics.gauges(help, () => {
    const { bytes, cut } = waiting.load();
    return { gateway_bytes_waiting: bytes, gateway_bytes_waiting_max: limits.inAll, gateway_answers_cut: cut };
  });
}
