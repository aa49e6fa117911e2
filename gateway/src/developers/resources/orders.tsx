import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { cursorOf, Paging } from "../page/paging.js";
import { Text } from "../page/text.js";
import { FilterForm, filterIn, Incomplete, Nothing, pathUnder, wantedBy } from "./filter.js";
import { findOrders, shipmentsOfOrder } from "./find-resources.js";
import { Events, keyNamesOf, Timeline } from "./history.js";
import { ParcelDetails } from "./parcel.js";
import { readOrder } from "./read-resources.js";
import { RecordTable, Status } from "./record-table.js";

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

/** `GET …/orders/{id}`: the order, and its shipments. */
export async function showOrder(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id } = request;
  const { order, happenings } = await readOrder(deps, request, id);
  const after = cursorOf(request.query, "shp");
  const { shipments, nextCursor } = await shipmentsOfOrder(deps, request, id, after);
  const keys = await keyNamesOf(deps, request, happenings);
  const base = `${AREA_PATH}/${environment}`;
  return shown(
    "Order",
    <>
      <p class="way">
        <a href={`${base}/orders`}>Orders</a>
      </p>
      <h1>
        <Text>{order.reference}</Text> <Status status={order.status} />
      </h1>
      <dl>
        <dt>Order</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </dl>
      <h2>History</h2>
      <Timeline happenings={happenings} keys={keys} environment={environment} />
      <ParcelDetails {...order} />
      <h2>Shipments</h2>
      {shipments.length === 0 ? (
        <p>
          None yet. To add a shipment to this order, create it with this order's ID as <code>order_id</code>.
        </p>
      ) : (
        <RecordTable records={shipments} kind="shipments" environment={environment} />
      )}
      <Paging path={`${base}/orders/${id}`} after={after} next={nextCursor} />
      <h2>Events</h2>
      <Events happenings={happenings} />
    </>,
  );
}
