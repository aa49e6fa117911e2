import { STATUS_CODES } from "node:http";
import { ABORTED } from "@shipping/api/request-status";
import type { Environment } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import { type ErrorCode, errors } from "@shipping/proto/errors";
import type { LoggedRequest } from "@shipping/proto/shipping/access/v1/access_pb";
import { keyName } from "../keys/key-name.js";
import {
  AREA_PATH,
  ask,
  htmlPage,
  type PageAnswer,
  type PageDeps,
  type PageRequest,
  unlessNotFound,
} from "../page/page.js";
import { Facts } from "../page/table.js";
import { Breadcrumb, Id, Note, Notice, Text, Time } from "../page/text.js";
import { toPath } from "./filter.js";

/** Reads one request; undefined if the log has none of the caller with this ID. */
export async function readRequest(deps: PageDeps, request: PageRequest, id: string) {
  if (!isId("req", id)) return undefined;
  const read = await unlessNotFound(ask(request, deps.access.getRequest, { id }));
  return read?.request && { found: read.request, executedId: read.executedId };
}

export async function showRequest(deps: PageDeps, pageRequest: PageRequest): Promise<PageAnswer> {
  const { environment } = pageRequest;
  const read = await readRequest(deps, pageRequest, pageRequest.id);
  if (!read) throw fail("not_found");
  const { found: request, executedId } = read;
  const list = `${AREA_PATH}/${environment}/requests`;
  const { method, path } = request;
  return htmlPage(
    "Request",
    <>
      <Breadcrumb list={list}>Requests</Breadcrumb>
      <h1 class="request-line">
        {method} <Text>{path}</Text>
      </h1>
      <p>
        <StatusTag {...request} />
      </p>
      <Failure request={request} />
      <Facts
        class="request-facts"
        facts={{
          "Request ID": <Id>{request.id}</Id>,
          Time: (
            <>
              <Time at={request.at} /> <code class="sub">{request.at}</code>
            </>
          ),
          Duration: formatDuration(request),
          "API key": <UsedKey request={request} list={list} />,
          "Idempotency key": <UsedIdempotencyKey request={request} list={list} />,
          Replayed: <Replay request={request} original={executedId} list={list} />,
          Resource: <Resource id={request.resourceId} environment={environment} />,
          "Client address": request.source,
          "User agent": request.userAgent ? <Text>{request.userAgent}</Text> : "None",
          Repeated: request.more > 0 && `${formatSimilar(request)}, not listed separately`,
        }}
      />
      <p class="hint">
        Request bodies and query strings are not stored. To see what a request created, open its resource.
      </p>
    </>,
  );
}

function Failure({ request: { code, fields } }: { request: LoggedRequest }) {
  if (code === ABORTED) {
    return (
      <Notice kind="hint">
        The client closed the connection before it received the complete response. The request may have been executed.
        If it was a write, retry it with the same idempotency key.
      </Notice>
    );
  }
  if (code === undefined || !Object.hasOwn(errors, code)) return null;
  return (
    <Note kind="hint">
      <p>
        <a href={`/docs/errors#${code}`}>
          <code>{code}</code>
        </a>{" "}
        {errors[code as ErrorCode].message}
      </p>
      {fields.length > 0 && (
        <ul>
          {fields.map(({ path, message }) => (
            <li>
              <code>
                <Text>{path}</Text>
              </code>{" "}
              <Text>{message}</Text>
            </li>
          ))}
        </ul>
      )}
    </Note>
  );
}

interface OfList {
  request: LoggedRequest;
  list: string;
}

function UsedKey({ request, list }: OfList) {
  const { keyId } = request;
  if (keyId === undefined) return <>None</>;
  return (
    <>
      <KeyName {...request} />
      <a class="sub" href={toPath(list, { keyId })}>
        Requests with this key
      </a>
    </>
  );
}

function UsedIdempotencyKey({ request: { idempotencyKey }, list }: OfList) {
  if (idempotencyKey === undefined) return <>None</>;
  return (
    <>
      <Text>{idempotencyKey}</Text>{" "}
      <a class="sub" href={toPath(list, { text: idempotencyKey })}>
        Requests with this idempotency key
      </a>
    </>
  );
}

function Replay({ request, original, list }: OfList & { original: string | undefined }) {
  if (!request.replayed) return <>No</>;
  if (!original) return <>Yes: an earlier response was returned and nothing was executed</>;
  return (
    <>
      Yes: the response was that of <a href={`${list}/${original}`}>{original}</a>
    </>
  );
}

const SECTIONS = { ord: "orders", shp: "shipments", lbl: "labels", whk: "webhooks" };

/** The resource that the request created or named, with a link to it. */
function Resource({ id, environment }: { id: string | undefined; environment: Environment }) {
  if (id === undefined) return <>None</>;
  const section = Object.entries(SECTIONS).find(([prefix]) => isId(prefix, id))?.[1];
  const path = section ? `/${section}/${id}` : `/search?q=${encodeURIComponent(id)}`;
  return <a href={`${AREA_PATH}/${environment}${path}`}>{id}</a>;
}

function StatusTag({ status, code }: Pick<LoggedRequest, "status" | "code">) {
  if (status === undefined) return <span class="tag">No response</span>;
  return <span class={`tag${toneClass({ status, code })}`}>{`${status} ${STATUS_CODES[status] ?? ""}`}</span>;
}

/** The status of a request in the list. */
export function ListedStatus({ status, code }: Pick<LoggedRequest, "status" | "code">) {
  return <span class={`tag${toneClass({ status, code })}`}>{status ?? "No response"}</span>;
}

function toneClass({ status, code }: Pick<LoggedRequest, "status" | "code">): string {
  if (status === undefined || code === ABORTED) return "";
  return status >= 500 ? " danger" : status >= 400 ? " warning" : " good";
}

export function KeyName({ keyName: name, keyLastFour }: Pick<LoggedRequest, "keyName" | "keyLastFour">) {
  return (
    <>
      <Text>{keyName({ name })}</Text>
      {keyLastFour !== undefined && <code class="sub">…{keyLastFour}</code>}
    </>
  );
}

/** The duration of a request, such as "8.2 ms" or "1.4 s". */
export function formatDuration({ ms }: Pick<LoggedRequest, "ms">): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** The number of similar requests that are counted with this one instead of being listed. */
export function formatSimilar({ more }: Pick<LoggedRequest, "more">): string | undefined {
  return more > 0 ? `and ${more.toLocaleString("en")} similar requests in that minute` : undefined;
}
