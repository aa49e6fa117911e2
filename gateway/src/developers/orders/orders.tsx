import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { Paging } from "../page/paging.js";
import { filterIn, pathUnder, wantedBy } from "../resources/filter.js";
import { FilterForm, Incomplete, Nothing } from "../resources/filter-form.js";
import { findOrders } from "../resources/find-resources.js";
import { RecordTable } from "../resources/record-table.js";

const STATUSES = ["received"] as const;

/** `GET …/orders`: the newest first, under the filter that the query says. */
export async function showOrders(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const filter = filterIn(query, { statuses: STATUSES, prefix: "ord" });
  const { found, nextCursor, incomplete } = await findOrders(deps, request, wantedBy(filter));
  const path = `${AREA_PATH}/${environment}/orders`;
  return shown(
    "Orders",
    <>
      <h1>{environment === "live" ? "Live orders" : "Sandbox orders"}</h1>
      <FilterForm
        path={path}
        filter={filter}
        statuses={STATUSES}
        searched="A complete order ID, or the first characters of a reference, recipient name or postal code."
      />
      <Incomplete shown={incomplete} />
      {found.length === 0 ? (
        <Nothing filter={filter} what="order" path={path}>
          <p>
            There are no {environment} orders yet. Your programs create them through the API. Orders are optional: a
            shipment does not need one.
          </p>
          <a class="button" href={`${AREA_PATH}/quick-start`}>
            Open the quick start
          </a>
        </Nothing>
      ) : (
        <RecordTable records={found} kind="orders" environment={environment} />
      )}
      <Paging path={pathUnder(path, filter)} after={filter.after} next={nextCursor} />
    </>,
  );
}
