import { isId } from "@shipping/kit/ids";
import { findRequests, listRequests, type RequestPage } from "../../request-log/list-requests.js";
import type { LoggedRequest } from "../../request-log/logged-request.js";
import { readRequest } from "../../request-log/read-request.js";
import { listKeysOfPage } from "../keys/keys.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { PAGE_SIZE } from "../page/paging.js";
import { Text, Time } from "../page/text.js";
import { durationOf, KeyName, ListedStatus, moreOf } from "./request.js";
import {
  type AskedRequests,
  addressOf,
  askedRequests,
  isNarrowed,
  RequestFilter,
  RequestSearch,
} from "./request-filter.js";

/** `GET …/requests`: writes and refusals, the newest first. */
export async function showRequests(deps: PageDeps, { session, environment, query }: PageRequest): Promise<PageAnswer> {
  const caller = { accountId: session.accountId, environment };
  const list = `${AREA_PATH}/${environment}/requests`;
  const asked = askedRequests(query);
  const { sought, after } = asked;
  if (sought && (await readRequest(deps, caller, sought))) return { location: `${list}/${sought}` };
  if (sought && isId("key", sought)) return { location: addressOf(list, { keyId: sought }) };
  const page = sought
    ? await findRequests(deps, caller, sought, { after, size: PAGE_SIZE })
    : await listRequests(deps, caller, asked, PAGE_SIZE);
  const { rows: keys } = await listKeysOfPage(deps, { ...caller, after: undefined });
  return shown(
    "Requests",
    <>
      <h1>{environment === "live" ? "Live requests" : "Sandbox requests"}</h1>
      <Introduction days={deps.requestLogDays} />
      <RequestSearch list={list} asked={asked} />
      <RequestFilter list={list} asked={asked} keys={keys} />
      {page.rows.length > 0 ? (
        <RequestTable list={list} rows={page.rows} />
      ) : (
        <Nothing asked={asked} page={page} list={list} days={deps.requestLogDays} />
      )}
      <RequestPaging list={list} asked={asked} page={page} />
    </>,
  );
}

function Introduction({ days }: { days: number }) {
  if (days === 0) return <p>The request log is turned off, so new requests are not listed here.</p>;
  return (
    <p>
      All writes and all failed requests of the last {days} days. Successful reads are counted but not listed. Request
      bodies are never stored. New requests appear within a few seconds. After an outage, the last requests before it
      may be missing.
    </p>
  );
}

function RequestTable({ list, rows }: { list: string; rows: readonly LoggedRequest[] }) {
  return (
    <table class="requests">
      <thead>
        <tr>
          {["Request", "Status", "API key", "Duration", "Time"].map((heading) => (
            <th scope="col">{heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <td data-label="Request">
              <span>
                <a href={`${list}/${row.requestId}`}>
                  {row.method} <Text>{row.path.replace(/^\/api\/v1(?=\/)/, "")}</Text>
                </a>
                <code class="sub">{row.requestId}</code>
              </span>
            </td>
            <td data-label="Status">
              <span>
                <ListedStatus {...row} />
                {row.replayed && <span class="sub">Replayed</span>}
                {row.more > 0 && <span class="sub">{moreOf(row)}</span>}
              </span>
            </td>
            <td data-label="API key">
              <span>
                <KeyName {...row} />
              </span>
            </td>
            <td data-label="Duration">
              <span class="nowrap">{durationOf(row)}</span>
            </td>
            <td data-label="Time">
              <Time at={row.at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Nothing(props: { asked: AskedRequests; page: RequestPage; list: string; days: number }) {
  const { asked, page, list, days } = props;
  const { sought } = asked;
  return (
    <div class="empty">
      {sought ? (
        <p>
          Nothing found for <Text>{sought}</Text>. This list does not include successful reads, requests without a valid
          API key, requests to unknown paths, most of a series of similar failures, requests of the other environment,
          and anything older than {days} days.
        </p>
      ) : page.lookedBackTo ? (
        <p>
          No matching requests since <Time at={page.lookedBackTo} />. You can search older requests.
        </p>
      ) : isNarrowed(asked) ? (
        <p>No requests match this filter.</p>
      ) : (
        <p>No requests yet. Call the API with a key for this environment, and the request appears here.</p>
      )}
      {isNarrowed(asked) ? <a href={list}>Show all requests</a> : <a href={`${AREA_PATH}/quick-start`}>Quick start</a>}
    </div>
  );
}

function RequestPaging({ list, asked, page }: { list: string; asked: AskedRequests; page: RequestPage }) {
  if (!asked.after && !page.nextCursor) return null;
  return (
    <nav class="paging" aria-label="Pages of this list">
      {asked.after && (
        <a href={addressOf(list, { ...asked, after: undefined })} rel="first">
          First page
        </a>
      )}
      {page.nextCursor && (
        <a href={addressOf(list, { ...asked, after: page.nextCursor })} rel="next">
          {page.lookedBackTo ? "Search older requests" : "Next page"}
        </a>
      )}
    </nav>
  );
}
