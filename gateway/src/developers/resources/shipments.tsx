import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { Fact, Text } from "../page/text.js";
import { readLabel, readShipment, readTracking } from "../read/read-resources.js";
import { FilteredList, readFilter, toWanted } from "./filter.js";
import { findShipments } from "./find-resources.js";
import { Events, readKeyNames, Timeline } from "./history.js";
import { LabelCard } from "./label-card.js";
import { ParcelDetails } from "./parcel.js";
import { RecordTable, Status } from "./record-table.js";

const STATUSES = ["draft", "label_created", "voided"];

export async function showShipments(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const filter = readFilter(query, { statuses: STATUSES, prefix: "shp" });
  const page = await findShipments(deps, request, toWanted(filter));
  return htmlPage(
    "Shipments",
    <FilteredList
      what="shipments"
      environment={environment}
      filter={filter}
      statuses={STATUSES}
      searchHint="A complete shipment ID, label ID or tracking number, or the first characters of a reference, recipient name or postal code."
      page={page}
      empty={
        <>
          <p>There are no {environment} shipments yet. Your programs create them through the API.</p>
          <a class="button" href={`${AREA_PATH}/quick-start`}>
            Open the quick start
          </a>
        </>
      }
    >
      <RecordTable records={page.found} kind="shipments" environment={environment} />
    </FilteredList>,
  );
}

export async function showShipment(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const { shipment, history: created } = await readShipment(deps, request, request.id);
  const read = shipment.label_id === undefined ? undefined : await readLabel(deps, request, shipment.label_id);
  const tracking = read && (await readTracking(deps, request, read.label.tracking_number));
  const history = [...created, ...(read?.history ?? [])];
  const keys = await readKeyNames(deps, request, history);
  const base = `${AREA_PATH}/${environment}`;
  return htmlPage(
    "Shipment",
    <>
      <p class="breadcrumb">
        <a href={`${base}/shipments`}>Shipments</a>
      </p>
      <h1>
        <Text>{shipment.reference}</Text> <Status status={shipment.status} />
      </h1>
      <dl>
        <Fact name="Shipment">
          <code>{shipment.id}</code>
        </Fact>
        {shipment.order_id !== undefined && (
          <Fact name="Order">
            <a href={`${base}/orders/${shipment.order_id}`}>
              <code>{shipment.order_id}</code>
            </a>
          </Fact>
        )}
      </dl>
      <h2>History</h2>
      <Timeline history={history} keys={keys} environment={environment} />
      <h2>Label</h2>
      {read ? (
        <LabelCard {...read} tracking={tracking} environment={environment} mayVoid={session.role === "admin"} linked />
      ) : (
        <p>
          No label yet. Your program <a href="/docs/quick-start">requests rates and creates a label</a> through the API.
        </p>
      )}
      <ParcelDetails {...shipment} />
      <h2>Events</h2>
      <Events history={history} />
    </>,
  );
}
