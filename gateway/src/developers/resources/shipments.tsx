import type { Environment } from "@shipping/kit/caller";
import type { RecordSummary } from "@shipping/proto/shipping/records/v1/records_pb";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { Paging } from "../page/paging.js";
import { Text } from "../page/text.js";
import { FilterForm, filterIn, Incomplete, Nothing, pathUnder, wantedBy } from "./filter.js";
import { findShipments } from "./find-resources.js";
import { Events, keyNamesOf, Timeline } from "./history.js";
import { LabelCard } from "./label-card.js";
import { ParcelDetails } from "./parcel.js";
import { readLabel, readShipment, readTracking } from "./read-resources.js";
import { RecordTable, Status } from "./record-table.js";

const STATUSES = ["draft", "label_created", "voided"] as const;

/** `GET …/shipments`: the newest first, under the filter that the query says. */
export async function showShipments(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const filter = filterIn(query, { statuses: STATUSES, prefix: "shp" });
  const { found, nextCursor, incomplete } = await findShipments(deps, request, wantedBy(filter));
  const path = `${AREA_PATH}/${environment}/shipments`;
  return shown(
    "Shipments",
    <>
      <h1>{environment === "live" ? "Live shipments" : "Sandbox shipments"}</h1>
      <FilterForm
        path={path}
        filter={filter}
        statuses={STATUSES}
        searched="A complete shipment ID, label ID or tracking number, or the first characters of a reference, recipient name or postal code."
      />
      <Incomplete shown={incomplete} />
      {found.length === 0 ? (
        <Nothing filter={filter} what="shipment" path={path}>
          <NoShipment environment={environment} />
        </Nothing>
      ) : (
        <ShipmentTable shipments={found} environment={environment} />
      )}
      <Paging path={pathUnder(path, filter)} after={filter.after} next={nextCursor} />
    </>,
  );
}

function NoShipment({ environment }: { environment: Environment }) {
  return (
    <>
      <p>There are no {environment} shipments yet. Your programs create them through the API.</p>
      <a class="button" href={`${AREA_PATH}/quick-start`}>
        Open the quick start
      </a>
    </>
  );
}

/** Shipments, each with the way to its page. */
function ShipmentTable(props: { shipments: readonly RecordSummary[]; environment: Environment }) {
  return <RecordTable records={props.shipments} kind="shipments" environment={props.environment} />;
}

/** `GET …/shipments/{id}`: the shipment with its label, and what became of it. */
export async function showShipment(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const { shipment, happenings } = await readShipment(deps, request, request.id);
  const labelled = shipment.label_id === undefined ? undefined : await readLabel(deps, request, shipment.label_id);
  const tracking = labelled && (await readTracking(deps, request, labelled.label.tracking_number));
  const all = [...happenings, ...(labelled?.happenings ?? [])];
  const keys = await keyNamesOf(deps, request, all);
  const base = `${AREA_PATH}/${environment}`;
  return shown(
    "Shipment",
    <>
      <p class="way">
        <a href={`${base}/shipments`}>Shipments</a>
      </p>
      <h1>
        <Text>{shipment.reference}</Text> <Status status={shipment.status} />
      </h1>
      <dl>
        <dt>Shipment</dt>
        <dd>
          <code>{shipment.id}</code>
        </dd>
        {shipment.order_id !== undefined && (
          <>
            <dt>Order</dt>
            <dd>
              <a href={`${base}/orders/${shipment.order_id}`}>
                <code>{shipment.order_id}</code>
              </a>
            </dd>
          </>
        )}
      </dl>
      <h2>History</h2>
      <Timeline happenings={all} keys={keys} environment={environment} />
      <h2>Label</h2>
      {labelled ? (
        <LabelCard
          {...labelled}
          tracking={tracking}
          environment={environment}
          mayVoid={session.role === "admin"}
          linked
        />
      ) : (
        <p>
          No label yet. Your program <a href="/docs/quick-start">requests rates and creates a label</a> through the API.
        </p>
      )}
      <ParcelDetails {...shipment} />
      <h2>Events</h2>
      <Events happenings={all} />
    </>,
  );
}
