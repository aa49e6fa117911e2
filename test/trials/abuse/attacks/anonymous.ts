import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { Attack } from "./attack.js";
import { hammer } from "./hammer.js";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const BODY_BYTES = 64 * 1024;
const IDLE_CONNECTIONS = 2_000;

const LINK_PATHS = ["sign-in/link", "sign-in/link/confirm", "decline", "decline/confirm"];

/** Forms of 64 KiB from two hundred clients: one field that nearly is a link, and as many pairs as fit. */
function formBomb(attack: Attack): Promise<void> {
  const { portal: origin } = attack.known;
  const field = `link=${"a".repeat(BODY_BYTES - "link=!".length)}!`;
  const pairs = "a&".repeat(BODY_BYTES / 2);
  return hammer(attack, {
    origin,
    connections: 8,
    next(turn) {
      const path = `/developers/${turn % 5 === 4 ? "sign-in" : LINK_PATHS[turn % 5]}`;
      const headers = { ...FORM, origin, "x-forwarded-for": `198.51.100.${turn % 200}` };
      return { method: "POST", path, headers, body: turn % 2 ? pairs : field };
    },
  });
}

/** The largest documents, uncompressed, and pages that do not exist, with queries that no cache has seen. From five hundred clients. */
function documentFlood(attack: Attack): Promise<void> {
  const paths = [
    "llms-full.txt",
    "docs/search-index.json",
    "docs/search",
    "docs/webhooks",
    "docs/reference/createLabel",
  ];
  return hammer(attack, {
    origin: attack.known.portal,
    connections: 20,
    next(turn) {
      const path = turn % 6 === 5 ? `docs/nothing-${turn}` : paths[turn % 6];
      const headers = { "x-forwarded-for": `198.51.${100 + (turn % 2)}.${turn % 250}`, accept: "text/html" };
      return { path: `/${path}?q=${turn}`, headers };
    },
  });
}

/** Guessed links, and forms without a session. */
function signInFlood(attack: Attack): Promise<void> {
  const { portal: origin } = attack.known;
  return hammer(attack, {
    origin,
    connections: 8,
    next(turn) {
      const path = `/developers/sign-in/link${turn % 2 ? "/confirm" : ""}`;
      const body = `link=${randomBytes(32).toString("base64url")}`;
      return { method: "POST", path, headers: { ...FORM, origin }, body };
    },
  });
}

/** Sign-in links for a member and for strangers, requested by sixteen clients of one /48. */
async function mailFlood(attack: Attack): Promise<void> {
  const { portal: origin, member, mailFolder } = attack.known;
  await hammer(attack, {
    origin,
    connections: 8,
    next(turn) {
      const headers = { ...FORM, origin, "x-forwarded-for": `2001:db8:1:${turn % 16}::1` };
      const email = turn % 2 ? member : `${randomBytes(6).toString("hex")}@example.com`;
      return { method: "POST", path: "/developers/sign-in", headers, body: `email=${encodeURIComponent(email)}` };
    },
  });
  for (const name of await readdir(mailFolder)) {
    if (counted.has(name)) continue;
    counted.add(name);
    if ((await readFile(join(mailFolder, name), "utf8")).includes(`To: ${member}\n`))
      attack.count("emails to the member");
  }
}

// Deletes the emails of earlier rounds.
const counted = new Set<string>();

/** Requests for the sign-in page, by two hundred clients, each far below its own limit. */
function pageFlood(attack: Attack): Promise<void> {
  return hammer(attack, {
    origin: attack.known.portal,
    connections: 20,
    next: (turn) => ({ path: "/developers/sign-in", headers: { "x-forwarded-for": `198.51.100.${turn % 200}` } }),
  });
}

/** Idle connections. */
async function idleConnections({ known, stopped, count }: Attack): Promise<void> {
  const { hostname, port } = new URL(known.baseUrl);
  const open: Socket[] = [];
  while (open.length < IDLE_CONNECTIONS && !stopped.aborted) {
    const socket = connect(Number(port), hostname);
    open.push(socket);
    socket.on("error", () => count("refused"));
    socket.on("close", () => stopped.aborted || count("closed"));
    await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => {});
    count("opened");
  }
  if (!stopped.aborted) await once(stopped, "abort");
  for (const socket of open) socket.destroy();
}

export const anonymousAttacks = {
  "form-bomb": formBomb,
  "document-flood": documentFlood,
  "sign-in-flood": signInFlood,
  "mail-flood": mailFlood,
  "page-flood": pageFlood,
  "idle-connections": idleConnections,
};
