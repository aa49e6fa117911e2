import { stringifySetCookie } from "cookie";

/** A session ends after 30 minutes without a request, and after 8 hours at any rate. */
export const IDLE_MINUTES = 30;
export const ABSOLUTE_HOURS = 8;
/** How long after authenticating a person may change what requires a recent sign-in. */
export const FRESH_MINUTES = 15;

/** Somebody who is signed in, and the account that they work for. */
export interface SignedIn {
  /** The SHA-256 of the session's cookie. */
  hash: Buffer;
  memberId: string;
  email: string;
  role: "admin" | "viewer";
  accountId: string;
  accountName: string;
  /** Whether an operator has suspended the account. */
  suspended: boolean;
  /** Whether they have authenticated within the last minutes. */
  fresh: boolean;
}

/** The cookies of the area: the session's, and the one that a sign-in through the provider leaves while it is under way. */
export type CookieName = "session" | "sign-in";

/** `__Host-` keeps other hosts from setting it, and takes https; on loopback a plain name has to do. */
function fullName(name: CookieName, origin: string): string {
  return origin.startsWith("https:") ? `__Host-developers-${name}` : `developers-${name}`;
}

/** The `Set-Cookie` header that keeps a value until the browser ends, or that removes it where `value` is undefined. */
export function setCookie(name: CookieName, value: string | undefined, origin: string): string {
  return stringifySetCookie({
    name: fullName(name, origin),
    value: value ?? "",
    path: "/",
    httpOnly: true,
    // Not `strict`: the provider's redirect back to us comes from another site.
    sameSite: "lax",
    secure: origin.startsWith("https:"),
    ...(value === undefined && { maxAge: 0 }),
  });
}

/** The value of a cookie. If it is sent twice, somebody else has set one of them: neither counts. */
export function cookieIn(header: string | undefined, name: CookieName, origin: string): string | undefined {
  const start = `${fullName(name, origin)}=`;
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  const found = pairs.filter((pair) => pair.startsWith(start));
  return found.length === 1 ? found[0]?.slice(start.length) || undefined : undefined;
}
