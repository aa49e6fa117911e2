import { randomBytes } from "node:crypto";
import type { Visitor } from "./visitor.js";

export const MEMBERS = "/developers/members";
export const INVITE = `${MEMBERS}/invite`;
export const newEmail = () => `${randomBytes(6).toString("hex")}@example.com`;

/** The list's row about a member: its text, and the paths in it. */
export async function rowOf(visitor: Visitor, email: string) {
  const { html } = await visitor.get(MEMBERS);
  const row =
    html
      .split("<tr>")
      .slice(1)
      .find((each) => each.includes(`>${email}<`)) ?? "";
  const paths = [...row.matchAll(/href="([^"]+)"/g)].map(([, path = ""]) => path);
  return {
    text: row
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ")
      .trim(),
    paths,
  };
}

/** The path to which the list links for changing a member. */
export const pathOf = async (visitor: Visitor, email: string, end: "role" | "remove" | "sessions" | "invite-again") =>
  (await rowOf(visitor, email)).paths.find((path) => path.endsWith(`/${end}`)) ?? `no way to ${end}`;

/** The audit log, newest first: actor, action, subject and source. */
export async function auditOf(visitor: Visitor): Promise<string[]> {
  const { html } = await visitor.get("/developers/audit");
  const rows = html
    .split("<tr>")
    .map((row) => [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].slice(1).map(([, cell = ""]) => cell));
  return rows.filter((row) => row.length > 0).map((row) => row.join(" | ").replace(/<[^>]*>/g, ""));
}
