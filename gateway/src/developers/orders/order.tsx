import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { cursorOf, Paging } from "../page/paging.js";
import { Text } from "../page/text.js";
import { shipmentsOfOrder } from "../resources/find-resources.js";
import { Events, keyNamesOf, Timeline } from "../resources/origin.js";
import { ParcelDetails } from "../resources/parcel.js";
import { readOrder } from "../resources/read-resources.js";
import { RecordTable } from "../resources/record-table.js";
import { Status } from "../resources/status.js";

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
