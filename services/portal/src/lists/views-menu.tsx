import type { Environment } from "@shipping/kit/caller";
import { AREA_PATH, type PageDeps, type PageRequest } from "../page/page.js";
import { withParameters } from "../page/paging.js";
import { Text } from "../page/text.js";
import { listViews, type SavedView, toViewQuery, type ViewedList } from "./views.js";

/** The saved views of a list, and the filters of its page. */
export interface ListViews {
  list: ViewedList;
  saved: readonly SavedView[];
  /** The filters of this page. */
  query: string;
}

export async function readViews(deps: PageDeps, request: PageRequest, list: ViewedList): Promise<ListViews> {
  const saved = await listViews(deps, request.session.memberId, list);
  return { list, saved, query: toViewQuery(request.query) };
}

export const viewsPath = (environment: Environment) => `${AREA_PATH}/${environment}/views`;

export const viewPath = (environment: Environment, { list, query }: Pick<SavedView, "list" | "query">) =>
  `${AREA_PATH}/${environment}/${list}${query && `?${query}`}`;

/** A menu with the views of a list. It offers to save the filters of the page. */
export function ViewsMenu({ views, environment }: { views: ListViews; environment: Environment }) {
  const { list, saved, query } = views;
  const current = saved.find((view) => view.query === query);
  return (
    <details class="fold views">
      <summary class="button quiet">{current ? <Text>{current.name}</Text> : "Views"}</summary>
      <div class="panel">
        {saved.length > 0 ? (
          <ul>
            {saved.map((view) => (
              <li>
                <a href={viewPath(environment, view)} aria-current={view === current ? "page" : undefined}>
                  <Text>{view.name}</Text>
                </a>
              </li>
            ))}
          </ul>
        ) : (
          <p>A view is a name for filters. You have none for this list yet.</p>
        )}
        <p class="actions">
          {query !== "" && !current && (
            <a href={withParameters(viewsPath(environment), { list, query })}>Save these filters</a>
          )}
          {saved.length > 0 && <a href={viewsPath(environment)}>Rename or delete views</a>}
          {query === "" && saved.length === 0 && "Filter the list, and save the filters here."}
        </p>
      </div>
    </details>
  );
}
