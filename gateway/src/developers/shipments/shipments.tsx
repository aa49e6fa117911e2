import type { Environment } from "@shipping/kit/caller";
import type { RecordSummary } from "@shipping/proto/shipping/records/v1/records_pb";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { Paging } from "../page/paging.js";
import { filterIn, pathUnder, wantedBy } from "../resources/filter.js";
import { FilterForm, Incomplete, Nothing } from "../resources/filter-form.js";
import { findShipments } from "../resources/find-resources.js";
import { RecordTable } from "../resources/record-table.js";

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
export function ShipmentTable(props: { shipments: readonly RecordSummary[]; environment: Environment }) {
  return <RecordTable records={props.shipments} kind="shipments" environment={props.environment} />;
}
