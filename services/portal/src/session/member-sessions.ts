import type { Actor } from "@shipping/kit/caller";
import sql from "sql-template-tag";
import { writeAuditEntry } from "../audit/audit.js";
import type { PortalDeps } from "../database/deps.js";
import { isOpen } from "./session.js";

type Deps = Pick<PortalDeps, "db" | "clockOffsetMs" | "random">;

export interface MemberRef {
  accountId: string;
  memberId: string;
  email: string;
}

/** A session as its member and the admins of the account see it. */
export interface MemberSession {
  /** The beginning of the hash of its cookie. It identifies the session among those of its member. */
  id: string;
  createdAt: Date;
  seenAt: Date;
  source: string | null;
  userAgent: string | null;
}

const shortHash = sql`encode(substring(s.hash FOR 8), 'hex')`;

export function toSessionId(hash: Buffer): string {
  return hash.subarray(0, 8).toString("hex");
}

export function listSessions(deps: Deps, memberId: string): Promise<MemberSession[]> {
  return deps.db.run<MemberSession>(sql`
    SELECT ${shortHash} AS id, s.created_at AS "createdAt", s.seen_at AS "seenAt", s.source, s.user_agent AS "userAgent"
    FROM sessions s WHERE s.member_id = ${memberId} AND ${isOpen(deps)}
    ORDER BY s.seen_at DESC, s.hash`);
}

/** Ends all sessions of a member, or only one. Sessions that have ended already are not in the audit log. */
export async function endSessions(
  deps: Deps,
  { accountId, memberId, email }: MemberRef,
  actor: Actor,
  sessionId?: string,
): Promise<void> {
  const action = sessionId === undefined ? "member.signed_out_everywhere" : "member.session_ended";
  const change = { accountId, action, environment: null, subject: memberId, detail: email } as const;
  await deps.db.run(sql`
    WITH ended AS (
      DELETE FROM sessions s
      WHERE s.member_id = ${memberId} AND (${sessionId ?? null}::text IS NULL OR ${shortHash} = ${sessionId ?? null})
      RETURNING s.member_id)
    ${writeAuditEntry(deps, actor, { ...change, from: sql`(SELECT DISTINCT member_id FROM ended) AS member` })}`);
}

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/(?:Chrome|CriOS)\//, "Chrome"],
  [/\bVersion\/[\d.]+ (?:Mobile\/\w+ )?Safari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** Describes the device that a user agent names: `Firefox on Windows`. A client can send any user agent. */
export function describeDevice(userAgent: string | null): string {
  const find = (known: typeof BROWSERS) => known.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1];
  const [browser = "Unknown browser", system] = [find(BROWSERS), find(SYSTEMS)];
  return system ? `${browser} on ${system}` : browser;
}
