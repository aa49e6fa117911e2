import type { Environment } from "@shipping/kit/caller";
import type { LabelSummary } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { RecordSummary } from "@shipping/proto/shipping/records/v1/records_pb";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { Paging } from "../page/paging.js";
import { Text, Time } from "../page/text.js";
import { FilterForm, filterIn, Incomplete, Nothing, pathUnder, wantedBy } from "./filter.js";
import { findLabels, shipmentsById } from "./find-resources.js";
import { shortPlace } from "./parcel.js";
import { Status } from "./record-table.js";

const STATUSES = ["created", "voided"] as const;

/** `GET …/labels`: the newest first, under the filter that the query says. */
export async function showLabels(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const filter = filterIn(query, { statuses: STATUSES, prefix: "lbl" });
  const { found, nextCursor, incomplete } = await findLabels(deps, request, wantedBy(filter));
  const ids = found.map(({ shipmentId }) => shipmentId);
  const shipments = await shipmentsById(deps, request, ids);
  const path = `${AREA_PATH}/${environment}/labels`;
  return shown(
    "Labels",
    <>
      <h1>{environment === "live" ? "Live labels" : "Sandbox labels"}</h1>
      <FilterForm
        path={path}
        filter={filter}
        statuses={STATUSES}
        searched="A complete label ID, shipment ID or tracking number, or the first characters of a reference, recipient name or postal code."
      />
      <Incomplete shown={incomplete} />
      {found.length === 0 ? (
        <Nothing filter={filter} what="label" path={path}>
          <NoLabel environment={environment} />
        </Nothing>
      ) : (
        <LabelTable labels={found} shipments={shipments} environment={environment} />
      )}
      <Paging path={pathUnder(path, filter)} after={filter.after} next={nextCursor} />
    </>,
  );
}

function NoLabel({ environment }: { environment: Environment }) {
  if (environment === "live") return <p>There are no live labels because no carrier is configured yet.</p>;
  return (
    <>
      <p>There are no sandbox labels yet. Follow the quick start to create one.</p>
      <a class="button" href={`${AREA_PATH}/quick-start`}>
        Open the quick start
      </a>
    </>
  );
}

function LabelTable(props: {
  labels: readonly LabelSummary[];
  shipments: ReadonlyMap<string, RecordSummary>;
  environment: Environment;
}) {
  const { labels, shipments, environment } = props;
  return (
    <table>
      <thead>
        <tr>
          {["Tracking number", "Shipment", "Recipient", "Status", "Created"].map((heading) => (
            <th scope="col">{heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.map((label) => (
          <LabelRow label={label} shipment={shipments.get(label.shipmentId)} environment={environment} />
        ))}
      </tbody>
    </table>
  );
}

function LabelRow(props: { label: LabelSummary; shipment: RecordSummary | undefined; environment: Environment }) {
  const { label, shipment, environment } = props;
  const base = `${AREA_PATH}/${environment}`;
  return (
    <tr class={label.status === "voided" ? "over" : undefined}>
      <td data-label="Tracking number">
        <span>
          <a href={`${base}/labels/${label.id}`}>{label.trackingNumber}</a>
          <code class="sub">{label.id}</code>
        </span>
      </td>
      <td data-label="Shipment">
        <a href={`${base}/shipments/${label.shipmentId}`}>
          <Text>{shipment?.reference ?? label.shipmentId}</Text>
        </a>
      </td>
      <td data-label="Recipient">
        {shipment?.to && (
          <span>
            <Text>{shipment.to.name}</Text>
            <span class="sub">
              <Text>{shortPlace(shipment.to)}</Text>
            </span>
          </span>
        )}
      </td>
      <td data-label="Status">
        <Status status={label.status} />
      </td>
      <td data-label="Created">
        <Time at={new Date(label.createdAt)} />
      </td>
    </tr>
  );
}
