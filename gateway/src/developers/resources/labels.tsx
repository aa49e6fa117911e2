import type { Environment } from "@shipping/kit/caller";
import type { LabelSummary } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { RecordSummary } from "@shipping/proto/shipping/records/v1/records_pb";
import { toMarks } from "../page/marked.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { isMissing, MissingPart, readPart, retryMissing, unlessMissing } from "../page/part.js";
import { Middle, Table, Time } from "../page/text.js";
import { FilteredList, readFilter, toWanted } from "./filter.js";
import { findLabels, findShipmentsById } from "./find-resources.js";
import { LabelSelection, RecipientCells, SelectLabel, Status } from "./record-table.js";

export async function showLabels(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const filter = readFilter(query, { kind: "labels" });
  const page = await readPart(request, (part) => findLabels(deps, part, toWanted(filter)));
  const found = unlessMissing(page)?.found ?? [];
  const shipmentIds = found.map(({ shipmentId }) => shipmentId);
  const rowsOnly = filter.text === "";
  const shipments = await readPart(request, (part) => findShipmentsById(deps, part, shipmentIds, { rowsOnly }));
  const marks = toMarks(filter.text);
  const list = htmlPage(
    "Labels",
    <FilteredList
      what="labels"
      request={request}
      filter={filter}
      searchHint="A tracking number or ID, or words of the shipment: a name, company, street, town, country, postal code, email address, reference, or four digits of a telephone number or a tracking number."
      page={page}
      empty={<NoLabels environment={environment} />}
    >
      {isMissing(shipments) && <MissingPart what="The recipients cannot be shown." request={request} />}
      <LabelSelection environment={environment}>
        <Table
          class="list labels labelled"
          headings={["Tracking number", "Shipment", "Recipient", "Town and country", "Status", "Created", "Label"]}
        >
          {found.map((label) => (
            <LabelRow
              label={label}
              shipment={unlessMissing(shipments)?.get(label.shipmentId)}
              base={`${AREA_PATH}/${environment}`}
              marks={marks}
            />
          ))}
        </Table>
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
      <a class="button" href={`${AREA_PATH}/quick-start`}>
        Open the quick start
      </a>
    </>
  );
}

function LabelRow(props: {
  label: LabelSummary;
  shipment: RecordSummary | undefined;
  base: string;
  marks: readonly string[];
}) {
  const { label, shipment, base, marks } = props;
  return (
    <tr class={label.status === "voided" ? "over" : undefined}>
      <td data-label="Tracking number">
        <span>
          <a href={`${base}/labels/${label.id}`} class="tracking" aria-label={label.trackingNumber} data-result>
            <Middle>{label.trackingNumber}</Middle>
          </a>
          <code class="sub">
            <Middle>{label.id}</Middle>
          </code>
        </span>
      </td>
      <td data-label="Shipment">
        <a href={`${base}/shipments/${label.shipmentId}`} aria-label={shipment?.reference ?? label.shipmentId}>
          <Middle marks={marks}>{shipment?.reference ?? label.shipmentId}</Middle>
        </a>
      </td>
      <RecipientCells found={shipment ?? {}} marks={marks} />
      <td data-label="Status">
        <Status status={label.status} />
      </td>
      <td data-label="Created">
        <Time at={new Date(label.createdAt)} />
      </td>
      <td data-label="Label">
        {label.status !== "voided" && <SelectLabel base={base} id={label.id} name={label.trackingNumber} />}
      </td>
    </tr>
  );
}
