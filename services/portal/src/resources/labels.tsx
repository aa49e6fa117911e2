import type { Environment } from "@shipping/kit/caller";
import type { LabelSummary } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { toSince } from "../lists/news.js";
import { readViews } from "../lists/views-menu.js";
import { Marked, toMarks } from "../page/marked.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { isMissing, MissingPart, readPart, retryMissing, unlessMissing } from "../page/part.js";
import { SELECT, Table } from "../page/table.js";
import { ButtonLink, RowLink, Time } from "../page/text.js";
import { readFilter, toOrder, toWanted } from "./filter.js";
import { FilteredList } from "./filtered-list.js";
import { findLabels, findShipmentsById, type ListedRecord } from "./find-resources.js";
import { LabelFile, recordColumns, SelectLabel, Status } from "./record-table.js";

type LabelRow = LabelSummary & { shipment: ListedRecord | undefined };

export async function showLabels(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const filter = readFilter(query, { kind: "labels", now: deps.now() });
  const views = await readViews(deps, request, "labels");
  const page = await readPart(request, (part) => findLabels(deps, part, { ...toWanted(filter), countsMatches: true }));
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
      views={views}
      since={toSince(found[0]?.createdAt, deps.now())}
      page={page}
      empty={<NoLabels environment={environment} />}
    >
      {isMissing(shipments) && <MissingPart what="The recipients cannot be shown." request={request} />}
      <Table
        class="labels labelled"
        places={PLACES}
        order={toOrder(`${base}/labels`, filter)}
        columns={{
          [SELECT]: ({ id, status, trackingNumber }) =>
            status !== "voided" && <SelectLabel id={id} name={trackingNumber} />,
          "Tracking number": ({ id, trackingNumber }) => (
            <RowLink href={`${base}/labels/${id}`}>{trackingNumber}</RowLink>
          ),
          Shipment: ({ shipmentId, shipment }) => (
            <a href={`${base}/shipments/${shipmentId}`}>
              <Marked marks={marks}>{shipment?.reference ?? shipmentId}</Marked>
            </a>
          ),
          ...recordColumns(rows, ({ shipment }) => shipment ?? {}, marks),
          Status: ({ status }) => <Status status={status} />,
          Created: ({ createdAt }) => <Time at={createdAt} short />,
          PDF: ({ id, status, trackingNumber }) =>
            status !== "voided" && <LabelFile base={base} id={id} name={trackingNumber} />,
        }}
        rows={rows}
        rowClass={({ status }) => (status === "voided" ? "over" : undefined)}
      />
    </FilteredList>,
  );
  return retryMissing(list, request, [page, shipments]);
}

const PLACES = {
  [SELECT]: "select",
  "Tracking number": "title",
  Status: "state",
  Recipient: "detail",
  Created: "aside",
} as const;

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
