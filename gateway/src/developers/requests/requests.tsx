import { isId } from "@shipping/kit/ids";
import { findRequests, listRequests, type RequestPage } from "../../request-log/list-requests.js";
import type { LoggedRequest } from "../../request-log/logged-request.js";
import { readRequest } from "../../request-log/read-request.js";
import { listKeyPage } from "../keys/keys.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest, toCaller } from "../page/page.js";
import { PAGE_SIZE, Paging } from "../page/paging.js";
import { Table } from "../page/table.js";
import { Text, Time } from "../page/text.js";
import { FilterForm, isFiltered, type RequestFilter, readFilter, SearchForm, toPath } from "./filter.js";
import { formatDuration, formatSimilar, KeyName, ListedStatus } from "./request.js";

export async function showRequests(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const caller = toCaller(request);
  const list = `${AREA_PATH}/${environment}/requests`;
  const filter = readFilter(query);
  const { text, after } = filter;
  if (text && (await readRequest(deps, caller, text))) return { location: `${list}/${text}` };
  if (text && isId("key", text)) return { location: toPath(list, { keyId: text }) };
  const page = text
    ? await findRequests(deps, caller, text, { after, size: PAGE_SIZE })
    : await listRequests(deps, caller, filter, PAGE_SIZE);
  const { rows: keys } = await listKeyPage(deps, caller);
  return htmlPage(
    "Requests",
    <>
      <h1>{environment === "live" ? "Live requests" : "Sandbox requests"}</h1>
      <Introduction days={deps.requestLogDays} />
      <SearchForm list={list} filter={filter} />
      <FilterForm list={list} filter={filter} keys={keys} />
      {page.rows.length > 0 ? (
        <RequestTable list={list} rows={page.rows} />
      ) : (
        <NoRequests filter={filter} page={page} list={list} days={deps.requestLogDays} />
      )}
      <Paging
        path={toPath(list, { ...filter, after: undefined })}
        after={after}
        next={page.nextCursor}
        nextWords={page.lookedBackTo ? "Search older requests" : "Next page"}
      />
    </>,
  );
}

function Introduction({ days }: { days: number }) {
  if (days === 0) return <p>The request log is turned off, so new requests are not listed here.</p>;
  return (
    <p>
      All writes and all failed requests of the last {days} days. Successful GET requests are not listed. Request bodies
      are never stored. New requests appear within a few seconds. After an outage, the last requests before it may be
      missing.
    </p>
  );
}

export function RequestTable({ list, rows }: { list: string; rows: readonly LoggedRequest[] }) {
  return (
    <Table
      class="requests"
      columns={{
        Request: ({ requestId, method, path }) => (
          <span>
            <a href={`${list}/${requestId}`}>
              {method} <Text>{path.replace(/^\/api\/v1(?=\/)/, "")}</Text>
            </a>
            <code class="sub">{requestId}</code>
          </span>
        ),
        Status: (row) => (
          <span>
            <ListedStatus {...row} />
            {row.replayed && <span class="sub">Replayed</span>}
            {row.more > 0 && <span class="sub">{formatSimilar(row)}</span>}
          </span>
        ),
        "API key": (row) => (
          <span>
            <KeyName {...row} />
          </span>
        ),
        Duration: (row) => <span class="nowrap">{formatDuration(row)}</span>,
        Time: ({ at }) => <Time at={at} />,
      }}
      rows={rows}
    />
  );
}

function NoRequests(props: { filter: RequestFilter; page: RequestPage; list: string; days: number }) {
  const { filter, page, list, days } = props;
  return (
    <div class="empty">
      {filter.text ? (
        <p>
          Nothing found for <Text>{filter.text}</Text>. This list does not include successful reads, requests without a
          valid API key, requests to unknown paths, most of a series of similar failures, requests of the other
          environment, and anything older than {days} days.
        </p>
      ) : page.lookedBackTo ? (
        <p>
          No matching requests since <Time at={page.lookedBackTo} />. You can search older requests.
        </p>
      ) : isFiltered(filter) ? (
        <p>No requests match this filter.</p>
      ) : (
        <p>No requests yet. Call the API with a key for this environment, and the request appears here.</p>
      )}
      {isFiltered(filter) ? <a href={list}>Show all requests</a> : <a href={`${AREA_PATH}/quick-start`}>Quick start</a>}
    </div>
  );
}
