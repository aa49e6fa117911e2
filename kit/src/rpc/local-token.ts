import { hash, timingSafeEqual } from "node:crypto";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

const HEADER = "x-platform-token";

/** The header with which a program on this machine calls the parts of a local platform. */
export const tokenHeader = (token: string) => ({ [HEADER]: token });

/**
 * Admits calls with the token of a local platform, whose ports any user of the machine can reach. The token is in `platform.json`, which only the
 * platform's own user can read.
 */
export function admitToken(token: string): Interceptor {
  const expected = digest(token);
  return (next) => (request) => {
    // Digests have one length, so the comparison says nothing about the token.
    if (timingSafeEqual(digest(request.header.get(HEADER) ?? ""), expected)) return next(request);
    const message = `Send the token in platform.json of the platform's data folder in the header ${HEADER}.`;
    throw new ConnectError(message, Code.Unauthenticated);
  };
}

const digest = (text: string) => hash("sha256", text, "buffer");
