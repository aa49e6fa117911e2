import { STATUS_CODES } from "node:http";
import type { Environment } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import { type ErrorCode, errors } from "@shipping/proto/errors";
import type { ComponentChildren } from "preact";
import { ABORTED, type LoggedRequest } from "../../request-log/logged-request.js";
import { readReplayed, readRequest } from "../../request-log/read-request.js";
import { nameOf } from "../keys/keys.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { Note, Text, Time } from "../page/text.js";
import { addressOf } from "./request-filter.js";

/** `GET …/requests/{id}`: all that is known of a request. */
export async function showRequest(deps: PageDeps, { session, environment, id }: PageRequest): Promise<PageAnswer> {
  const caller = { accountId: session.accountId, environment };
  const request = await readRequest(deps, caller, id);
  if (!request) throw fail("not_found");
  const original = await readReplayed(deps, caller, request);
  const list = `${AREA_PATH}/${environment}/requests`;
  const { method, path, idempotencyKey, keyId } = request;
  return shown(
    "Request",
    <>
      <h1 class="request-line">
        {method} <Text>{path}</Text>
      </h1>
      <p>
        <StatusTag {...request} />
      </p>
      <Refusal request={request} />
      <dl class="request-facts">
        <Fact name="Request ID">
          <code>{request.requestId}</code>
        </Fact>
        <Fact name="Time">
          <Time at={request.at} /> <code class="sub">{request.at.toISOString()}</code>
        </Fact>
        <Fact name="Duration">{durationOf(request)}</Fact>
        <Fact name="API key">
          {keyId === null ? "None" : <KeyName {...request} />}
          {keyId !== null && (
            <a class="sub" href={addressOf(list, { keyId })}>
              Requests with this key
            </a>
          )}
        </Fact>
        <Fact name="Idempotency key">
          {idempotencyKey === null ? (
            "None"
          ) : (
            <>
              <Text>{idempotencyKey}</Text>{" "}
              <a class="sub" href={addressOf(list, { sought: idempotencyKey })}>
                Requests with this idempotency key
              </a>
            </>
          )}
        </Fact>
        <Fact name="Replayed">
          <Replay request={request} original={original} list={list} />
        </Fact>
        <Fact name="Resource">
          <Resource id={request.resourceId} environment={environment} />
        </Fact>
        <Fact name="Client address">{request.source}</Fact>
        <Fact name="User agent">{request.userAgent ? <Text>{request.userAgent}</Text> : "None"}</Fact>
        {request.more > 0 && <Fact name="Repeated">{moreOf(request)}, not listed separately</Fact>}
      </dl>
      <p class="hint">
        Request bodies and query strings are not stored. To see what a request created, open its resource.
      </p>
      <p>
        <a href={list}>All requests</a>
      </p>
    </>,
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Explains why the request failed. */
function Refusal({ request: { code, fields } }: { request: LoggedRequest }) {
  if (code === ABORTED) {
    return (
      <Note kind="hint">
        <p>
          The client closed the connection before it received the complete response. The request may have been executed.
          If it was a write, retry it with the same idempotency key.
        </p>
      </Note>
    );
  }
  const meaning = meaningOf(code);
  if (!meaning) return null;
  return (
    <Note kind="hint">
      <p>
        <a href={meaning.guide}>
          <code>{code}</code>
        </a>{" "}
        {meaning.sentence}
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

function Replay(props: { request: LoggedRequest; original: string | undefined; list: string }) {
  const { request, original, list } = props;
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
function Resource({ id, environment }: { id: string | null; environment: Environment }) {
  if (id === null) return <>None</>;
  const section = Object.entries(SECTIONS).find(([prefix]) => isId(prefix, id))?.[1];
  const path = section ? `/${section}/${id}` : `/search?q=${encodeURIComponent(id)}`;
  return <a href={`${AREA_PATH}/${environment}${path}`}>{id}</a>;
}

/** The status of a request as a tag: succeeded, refused or failed. */
function StatusTag({ status, code }: Pick<LoggedRequest, "status" | "code">) {
  if (status === null) return <span class="tag">No response</span>;
  return <span class={`tag${kindOf({ status, code })}`}>{`${status} ${STATUS_CODES[status] ?? ""}`}</span>;
}

/** The status of a request in a list, with the code that says what it means. */
export function ListedStatus({ status, code }: Pick<LoggedRequest, "status" | "code">) {
  return (
    <>
      <span class={`tag${kindOf({ status, code })}`}>{status ?? "No response"}</span>
      {code !== null && (
        <code class="sub">
          {code.split(/(?<=_)/).map((word) => (
            <>
              {word}
              <wbr />
            </>
          ))}
        </code>
      )}
    </>
  );
}

function kindOf({ status, code }: Pick<LoggedRequest, "status" | "code">): string {
  if (status === null || code === ABORTED) return "";
  return status >= 500 ? " danger" : status >= 400 ? " warning" : " good";
}

/** The key that a request was made with. */
export function KeyName({ keyName, keyLastFour }: Pick<LoggedRequest, "keyName" | "keyLastFour">) {
  return (
    <>
      <Text>{nameOf({ name: keyName })}</Text>
      {keyLastFour !== null && <code class="sub">…{keyLastFour}</code>}
    </>
  );
}

/** How long it took, as people say it. */
export function durationOf({ ms }: Pick<LoggedRequest, "ms">): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** The requests that a row stands for beside its own. */
export function moreOf({ more }: Pick<LoggedRequest, "more">): string | undefined {
  return more > 0 ? `and ${more.toLocaleString("en")} similar requests in that minute` : undefined;
}

/** What a code means, in a sentence, or undefined if it is none of the API's. */
function meaningOf(code: string | null): { sentence: string; guide: string } | undefined {
  if (code === null || !Object.hasOwn(errors, code)) return undefined;
  return { sentence: errors[code as ErrorCode].message, guide: `/docs/errors#${code}` };
}
