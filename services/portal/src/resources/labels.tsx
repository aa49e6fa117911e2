import type { Environment } from "@shipping/kit/caller";
import type { LabelSummary } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { toMarks } from "../page/marked.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { isMissing, MissingPart, readPart, retryMissing, unlessMissing } from "../page/part.js";
import { Table } from "../page/table.js";
import { ButtonLink, Middle, Time } from "../page/text.js";
import { FilteredList, readFilter, toWanted } from "./filter.js";
import { findLabels, findShipmentsById, type ListedRecord } from "./find-resources.js";
import { LabelSelection, recordColumns, SelectLabel, Status } from "./record-table.js";

type LabelRow = LabelSummary & { shipment: ListedRecord | undefined };

export async function showLabels(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const filter = readFilter(query, { kind: "labels" });
  const page = await readPart(request, (part) => findLabels(deps, part, toWanted(filter)));
  const found = unlessMissing(page)?.found ?? [];
  const shipmentIds = found.map(({ shipmentId }) => shipmentId);
  const rowsOnly = filter.text === "";
  const shipments = await readPart(request, (part) => findShipmentsById(deps, part, shipmentIds, { rowsOnly }));
  const marks = toMarks(filter.text);
  const rows = found.map(
    (label): LabelRow => ({ ...label, shipment: unlessMissing(shipments)?.get(label.shipmentId) }),
  );
  const base = `${AREA_PATH}/${environment}`;
  const list = htmlPage(
    "Labels",
    <FilteredList
      what="labels"
      request={request}
      filter={filter}
      page={page}
      empty={<NoLabels environment={environment} />}
    >
      {isMissing(shipments) && <MissingPart what="The recipients cannot be shown." request={request} />}
      <LabelSelection environment={environment}>
        <Table
          class="list labels labelled"
          columns={{
            "Tracking number": ({ id, trackingNumber }) => (
              <span>
                <a href={`${base}/labels/${id}`} class="tracking" aria-label={trackingNumber} data-result>
                  <Middle>{trackingNumber}</Middle>
                </a>
                <code class="sub">
                  <Middle>{id}</Middle>
                </code>
              </span>
            ),
            Shipment: ({ shipmentId, shipment }) => (
              <ShipmentLink base={base} id={shipmentId} reference={shipment?.reference} marks={marks} />
            ),
            ...recordColumns(rows, ({ shipment }) => shipment ?? {}, marks),
            Status: ({ status }) => <Status status={status} />,
            Created: ({ createdAt }) => <Time at={createdAt} />,
            Label: ({ id, status, trackingNumber }) =>
              status !== "voided" && <SelectLabel base={base} id={id} name={trackingNumber} />,
          }}
          rows={rows}
          rowClass={({ status }) => (status === "voided" ? "over" : undefined)}
        />
      </LabelSelection>
    </FilteredList>,
  );
  return retryMissing(list, request, [page, shipments]);
}

function NoLabels({ environment }: { environment: Environment }) {
  if (environment === "live")
    return (
      <p>No carrier is set up for live yet, so there are no labels. Ask the operator of the platform to connect one.</p>
    );
  return (
    <>
      <p>There are no sandbox labels yet. Follow the quick start to create one.</p>
      <ButtonLink href={`${AREA_PATH}/quick-start`}>Open the quick start</ButtonLink>
    </>
  );
}

function ShipmentLink(props: { base: string; id: string; reference: string | undefined; marks: readonly string[] }) {
  const { base, id, reference = id, marks } = props;
  return (
    <a href={`${base}/shipments/${id}`} aria-label={reference}>
      <Middle marks={marks}>{reference}</Middle>
    </a>
  );
}
