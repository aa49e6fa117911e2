import { isId } from "@shipping/kit/ids";
import type { ListRequestsResponse, LoggedRequest } from "@shipping/proto/shipping/access/v1/access_pb";
import { MAX_NEWS, News, newsAnswer, readSince, toSince } from "../lists/news.js";
import { readViews, ViewsMenu } from "../lists/views-menu.js";
import { AREA_PATH, ask, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE, Paging } from "../page/paging.js";
import { isMissing, MissingPart, readMain, readPart, retryMissing, unlessMissing } from "../page/part.js";
import { Table } from "../page/table.js";
import { RowLink, Text, Time } from "../page/text.js";
import { FilterForm, isFiltered, type RequestFilter, readFilter, toPath, toWanted } from "./filter.js";
import { formatDuration, formatSimilar, KeyName, ListedStatus, readRequest } from "./request.js";

/** A page of the log. Only a search that stopped at its limit of rows says how far back it looked. */
type RequestPage = Omit<ListRequestsResponse, "$typeName">;

export async function showRequests(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const views = await readViews(deps, request, "requests");
  const { access } = deps;
  const list = `${AREA_PATH}/${environment}/requests`;
  const filter = readFilter(query);
  const { text, after } = filter;
  if (text && isId("key", text)) return { location: toPath(list, { keyId: text }) };
  const read = await readMain(request, async (part): Promise<RequestPage | "single"> => {
    const limit = PAGE_SIZE;
    if (!text) return ask(part, access.listRequests, { ...toWanted(filter), limit });
    if (await readRequest(deps, part, text)) return "single";
    return ask(part, access.findRequests, { texts: [text], idempotencyKeys: true, after, limit });
  });
  if (read === "single") return { location: `${list}/${text}` };
  const keys = await readPart(request, (part) => ask(part, access.listKeys, { limit: PAGE_SIZE }));
  const page = htmlPage(
    "Requests",
    <>
      <h1>{environment === "live" ? "Live requests" : "Sandbox requests"}</h1>
      {!isMissing(read) && <Introduction days={read.days} />}
      <FilterForm list={list} filter={filter} keys={unlessMissing(keys)?.keys ?? []}>
        <ViewsMenu views={views} environment={environment} />
      </FilterForm>
      {!after && !text && !isMissing(read) && (
        <News path={toPath(`${list}/news`, filter)} since={toSince(read.requests[0]?.at, deps.now())} what="requests" />
      )}
      {isMissing(read) ? (
        <MissingPart what="The requests cannot be shown." request={request} />
      ) : (
        <>
          {read.requests.length > 0 ? (
            <RequestTable list={list} rows={read.requests} />
          ) : (
            <NoRequests filter={filter} page={read} list={list} />
          )}
          <Paging
            path={toPath(list, { ...filter, after: undefined })}
            query={query}
            after={after}
            next={read.nextCursor}
            nextWords={read.lookedBackTo ? "Search older requests" : "Next page"}
          />
        </>
      )}
    </>,
  );
  return retryMissing(page, request, [read, keys]);
}

/** `GET …/requests/news`: how many requests are newer than those that a page shows. */
export async function showRequestNews(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const wanted = toWanted(readFilter(request.query));
  const from = readSince(request.query, wanted.from);
  if (from === undefined) return newsAnswer({ count: 0 });
  const newer = { ...wanted, from, after: undefined, limit: MAX_NEWS };
  const { requests } = await ask(request, deps.access.listRequests, newer);
  return newsAnswer({ count: requests.length });
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
      places={{ Request: "title", Status: "state", Error: "detail", Time: "aside" }}
      columns={{
        Request: ({ id, method, path }) => (
          <RowLink href={`${list}/${id}`}>{`${method} ${path.replace(/^\/api\/v1(?=\/)/, "")}`}</RowLink>
        ),
        Status: (row) => <ListedStatus {...row} />,
        Error: (row) => (
          <span title={formatSimilar(row)}>
            {row.code !== undefined && <code>{row.code}</code>} {row.replayed && "Replayed"}
            {row.more > 0 && <span class="beside"> and {row.more.toLocaleString("en")} similar</span>}
          </span>
        ),
        "API key": (row) => (
          <span>
            <KeyName {...row} />
          </span>
        ),
        Duration: (row) => formatDuration(row),
        Time: ({ at }) => <Time at={at} short />,
      }}
      rows={rows}
    />
  );
}

function NoRequests({ filter, page, list }: { filter: RequestFilter; page: RequestPage; list: string }) {
  return (
    <div class="empty">
      {filter.text ? (
        <p>
          Nothing found for <Text>{filter.text}</Text>. This list does not include successful reads, requests without a
          valid API key, requests to unknown paths, most of a series of similar failures, requests of the other
          environment, and anything older than {page.days} days.
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
