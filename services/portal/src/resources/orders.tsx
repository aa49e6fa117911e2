import { LatestChange, readHistory, Timeline } from "../events/history.js";
import { toSince } from "../lists/news.js";
import { readViews } from "../lists/views-menu.js";
import { toMarks } from "../page/marked.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { Paging, readCursor } from "../page/paging.js";
import { readPart, retryMissing, unlessMissing } from "../page/part.js";
import { Facts } from "../page/table.js";
import { Breadcrumb, ButtonLink, Id, Text } from "../page/text.js";
import { readOrder } from "../read/read-resources.js";
import { readFilter, toOrder, toWanted } from "./filter.js";
import { FilteredList } from "./filtered-list.js";
import { findOrders, searchShipments } from "./find-resources.js";
import { ParcelDetails } from "./parcel.js";
import { RecordTable, Status, TestTag } from "./record-table.js";

export async function showOrders(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const filter = readFilter(query, { kind: "orders", now: deps.now() });
  const views = await readViews(deps, request, "orders");
  const page = await readPart(request, (part) => findOrders(deps, part, { ...toWanted(filter), countsMatches: true }));
  const found = unlessMissing(page)?.found ?? [];
  const list = htmlPage(
    "Orders",
    <FilteredList
      what="orders"
      request={request}
      filter={filter}
      views={views}
      since={toSince(found[0]?.created_at, deps.now())}
      page={page}
      empty={
        <>
          <p>
            There are no {environment} orders yet. Your programs create them through the API. Orders are optional: a
            shipment does not need one.
          </p>
          <ButtonLink href={`${AREA_PATH}/quick-start`}>Open the quick start</ButtonLink>
        </>
      }
    >
      <RecordTable
        records={found}
        kind="orders"
        environment={environment}
        marks={toMarks(filter.text)}
        order={toOrder(`${AREA_PATH}/${environment}/orders`, filter)}
      />
    </FilteredList>,
  );
  return retryMissing(list, request, [page]);
}

export async function showOrder(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id } = request;
  const { order, history } = await readOrder(deps, request, id);
  const after = readCursor(request.query, "shp");
  const { found: shipments, nextCursor } = await searchShipments(deps, request, { after }, { orderId: id });
  const changes = await readHistory(deps, request, history);
  const base = `${AREA_PATH}/${environment}`;
  const page = htmlPage(
    "Order",
    <>
      <Breadcrumb list={`${base}/orders`}>Orders</Breadcrumb>
      <h1>
        <Text>{order.reference}</Text> <Status status={order.status} /> <TestTag {...order} />
      </h1>
      <LatestChange {...changes} />
      <Facts facts={{ Order: <Id>{id}</Id> }} />
      <h2>History</h2>
      <Timeline {...changes} request={request} />
      <ParcelDetails {...order} />
      <h2>Shipments</h2>
      {shipments.length === 0 ? (
        <p>
          No shipments yet. To add one to this order, create it with this order's ID as <code>order_id</code>.
        </p>
      ) : (
        <RecordTable records={shipments} kind="shipments" environment={environment} />
      )}
      <Paging path={`${base}/orders/${id}`} query={request.query} after={after} next={nextCursor} />
    </>,
  );
  return retryMissing(page, request, [changes.keys, changes.outcomes]);
}
