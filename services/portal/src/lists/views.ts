import { failFields } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { violated } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";

/** The lists whose filters can be saved. */
export const VIEWED_LISTS = ["shipments", "orders", "labels", "requests"] as const;

export type ViewedList = (typeof VIEWED_LISTS)[number];

export const MAX_VIEW_NAME = 60;
/** A search of 255 characters, of which each may take nine in a URL, with other filters. */
export const MAX_VIEW_QUERY = 3_000;
/** How many views a member can have; a trigger on `saved_views` enforces it. */
const VIEWS_LIMIT = 50;

/** A name for the filters of a list, of one member. */
export interface SavedView {
  id: string;
  list: ViewedList;
  name: string;
  /** The query of the list, as `toViewQuery` returns it. */
  query: string;
}

type Deps = Pick<PortalDeps, "db" | "random" | "now">;

/** Reads a member's views, of all lists or of one, by name. */
export function listViews({ db }: Pick<Deps, "db">, memberId: string, list?: ViewedList): Promise<SavedView[]> {
  return db.runList<SavedView>(sql`
    SELECT id, list, name, query FROM saved_views
    WHERE member_id = ${memberId} AND (${list ?? null}::text IS NULL OR list = ${list ?? null})
    ORDER BY list, lower(name), name`);
}

/** Saves a view. One with the same name has its filters replaced. */
export async function saveView(deps: Deps, memberId: string, view: Omit<SavedView, "id">): Promise<void> {
  const { list, name, query } = view;
  await deps.db
    .run(sql`
      INSERT INTO saved_views (id, member_id, list, name, query, created_at)
      VALUES (${newId("view", deps.random)}, ${memberId}, ${list}, ${name}, ${query}, ${deps.now()})
      ON CONFLICT (member_id, list, name) DO UPDATE SET query = excluded.query`)
    .catch(refuseView);
}

/** Renames a member's view. There may be none with this ID any more. */
export async function renameView(deps: Deps, memberId: string, { id, name }: Pick<SavedView, "id" | "name">) {
  await deps.db
    .run(sql`UPDATE saved_views SET name = ${name} WHERE id = ${id} AND member_id = ${memberId}`)
    .catch(refuseView);
}

export async function deleteView(deps: Deps, memberId: string, id: string): Promise<void> {
  await deps.db.run(sql`DELETE FROM saved_views WHERE id = ${id} AND member_id = ${memberId}`);
}

function refuseView(error: unknown): never {
  const constraint = violated(error)?.constraint;
  const refuse = (message: string) => failFields([{ path: "name", message }]);
  if (constraint === "saved_views_limit")
    throw refuse(`You have ${VIEWS_LIMIT} views, and more are not possible. Delete one first.`);
  if (constraint === "saved_views_member_id_list_name_key")
    throw refuse("You have another view of this list with this name. Choose a different name.");
  throw error;
}

/** The parameters of a list that are not part of a view: where a page begins, and what only one page says. */
const NOT_SAVED = ["after", "back", "refresh"];

/** The filters in the query of a list, in one order, so that equal ones are equal texts. */
export function toViewQuery(query: URLSearchParams): string {
  const filters = new URLSearchParams([...query].filter(([name, value]) => value !== "" && !NOT_SAVED.includes(name)));
  if (!["day", "from", "to", "until"].some((name) => filters.has(name))) filters.delete("zone");
  filters.sort();
  return String(filters);
}
