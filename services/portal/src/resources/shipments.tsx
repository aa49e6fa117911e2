import type { FindRequestsResponse } from "@shipping/proto/shipping/access/v1/access_pb";
import { LatestChange, readHistory, Timeline } from "../events/history.js";
import { livePage } from "../lists/live.js";
import { toSince } from "../lists/news.js";
import { readViews } from "../lists/views-menu.js";
import { toMarks } from "../page/marked.js";
import { AREA_PATH, ask, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { isMissing, MissingPart, readPart, retryMissing, unlessMissing } from "../page/part.js";
import { Facts } from "../page/table.js";
import { Breadcrumb, ButtonLink, Copyable, Id, Text, TimeAgo } from "../page/text.js";
import { readLabel, readShipment, readTracking } from "../read/read-resources.js";
import { RequestTable } from "../requests/requests.js";
import { readFilter, toOrder, toWanted } from "./filter.js";
import { FilteredList } from "./filtered-list.js";
import { findLabelsById, findShipments } from "./find-resources.js";
import { LabelActions, LabelCard } from "./label-card.js";
import { ParcelDetails } from "./parcel.js";
import { RecordTable, Status, TestTag } from "./record-table.js";

export async function showShipments(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const filter = readFilter(query, { kind: "shipments", now: deps.now() });
  const views = await readViews(deps, request, "shipments");
  const page = await readPart(request, (part) =>
    findShipments(deps, part, { ...toWanted(filter), countsMatches: true }),
  );
  const found = unlessMissing(page)?.found ?? [];
  const labelIds = found.flatMap(({ label_id: labelId }) => labelId ?? []);
  const labels = await readPart(request, (part) => findLabelsById(deps, part, labelIds));
  const list = htmlPage(
    "Shipments",
    <FilteredList
      what="shipments"
      request={request}
      filter={filter}
      views={views}
      since={toSince(found[0]?.created_at, deps.now())}
      page={page}
      empty={
        <>
          <p>There are no {environment} shipments yet. Your programs create them through the API.</p>
          <ButtonLink href={`${AREA_PATH}/quick-start`}>Open the quick start</ButtonLink>
        </>
      }
    >
      {isMissing(labels) && <MissingPart what="The tracking numbers cannot be shown." request={request} />}
      <RecordTable
        records={found}
        kind="shipments"
        environment={environment}
        marks={toMarks(filter.text)}
        order={toOrder(`${AREA_PATH}/${environment}/shipments`, filter)}
        labels={unlessMissing(labels) ?? new Map()}
      />
    </FilteredList>,
  );
  return retryMissing(list, request, [page, labels]);
}

/** The requests on the page of a shipment; a link leads to the others. */
const REQUESTS_SHOWN = 10;

export async function showShipment(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id } = request;
  const { shipment, history: created } = await readShipment(deps, request, id);
  const { label_id: labelId, order_id: orderId, to } = shipment;
  const label = labelId === undefined ? undefined : await readPart(request, (part) => readLabel(deps, part, labelId));
  const read = unlessMissing(label);
  const [tracking, history, requests] = await Promise.all([
    read && readPart(request, (part) => readTracking(deps, part, read.label.tracking_number)),
    readHistory(deps, request, [...created, ...(read?.history ?? [])]),
    readPart(request, (part) => {
      const texts = labelId ? [id, labelId] : [id];
      return ask(part, deps.access.findRequests, { texts, idempotencyKeys: false, limit: REQUESTS_SHOWN });
    }),
  ]);
  const base = `${AREA_PATH}/${environment}`;
  const facts = [shipment, label, tracking, history, requests];
  const page = livePage(
    "Shipment",
    facts,
    <>
      <Breadcrumb list={`${base}/shipments`}>Shipments</Breadcrumb>
      <h1>
        <Text>{shipment.reference}</Text> <Status status={shipment.status} />
        <TestTag {...shipment} />
      </h1>
      {!isMissing(label) && <LatestChange {...history} />}
      {read && <LabelActions label={read.label} request={request} />}
      <div class="halves">
        <section>
          <Facts
            facts={{
              Reference: <Copyable>{shipment.reference}</Copyable>,
              Shipment: <Id>{id}</Id>,
              Created: <TimeAgo at={shipment.created_at} now={deps.now()} />,
              Order: orderId !== undefined && <Id href={`${base}/orders/${orderId}`}>{orderId}</Id>,
              Recipient: (
                <>
                  <Text>{to.name}</Text>, <Text>{to.city}</Text> ({to.country})
                </>
              ),
            }}
          />
          <h2>History</h2>
          <Timeline {...history} request={request} />
        </section>
        <section>
          <h2>Label</h2>
          {isMissing(label) && <MissingPart what="The label cannot be shown." request={request} />}
          {read && <LabelCard {...read} tracking={tracking} environment={environment} linked />}
          {!label && (
            <p>
              No label yet. Your program <a href="/docs/quick-start">requests rates and creates a label</a> through the
              API.
            </p>
          )}
        </section>
      </div>
      <ParcelDetails {...shipment} />
      <h2>Requests</h2>
      {isMissing(requests) ? (
        <MissingPart what="The requests cannot be shown." request={request} />
      ) : (
        <RequestsOn page={requests} list={`${base}/requests`} id={id} />
      )}
    </>,
  );
  return retryMissing(page, request, [label, tracking, requests, history.keys, history.outcomes]);
}

/** The latest requests that touched a shipment or its label, refused ones included. */
function RequestsOn({ page, list, id }: { page: FindRequestsResponse; list: string; id: string }) {
  const { requests, days } = page;
  if (requests.length === 0) {
    return <p>{days > 0 ? `None in the last ${days} days.` : "The request log is turned off."}</p>;
  }
  return (
    <>
      <RequestTable list={list} rows={requests} />
      <p>
        <a href={`${list}?q=${id}`}>All requests for this shipment</a>
      </p>
    </>
  );
}
