import type { Scope } from "@shipping/api/api-key";
import { fail } from "@shipping/kit/errors";
import { type ErrorCode, errors } from "@shipping/proto/errors";
import type { CountKeyRequestsResponse, Key } from "@shipping/proto/shipping/access/v1/access_pb";
import { AREA_PATH, ask, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { isMissing, MissingPart, readPart, retryMissing } from "../page/part.js";
import { Facts, Table } from "../page/table.js";
import { AskLink, Breadcrumb, Id, Text, Time, TimeAgo } from "../page/text.js";
import { SCOPE_WORDS } from "./create-key.js";
import { keyName } from "./key-name.js";
import { Expiry, LastUse } from "./keys.js";

/** `GET …/keys/{id}`: what a key may do, who created it, and what was done with it. */
export async function showKey(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session, id } = request;
  const { key } = await ask(request, deps.access.getKey, { id });
  if (!key) throw fail("not_found");
  const [counts, creator] = await Promise.all([
    readPart(request, (part) => ask(part, deps.access.countKeyRequests, { id })),
    readCreator(deps, session.accountId, key),
  ]);
  const list = `${AREA_PATH}/${environment}/keys`;
  const now = deps.now();
  const page = htmlPage(
    "API key",
    <>
      <Breadcrumb list={list}>API keys</Breadcrumb>
      <h1>
        <Text>{keyName(key)}</Text> …{key.lastFour}{" "}
        {key.active ? (
          <span class="tag good">Active</span>
        ) : (
          <span class="tag">{key.revokedAt ? "Revoked" : "Expired"}</span>
        )}
      </h1>
      <Facts
        facts={{
          Key: <Id>{id}</Id>,
          Created: <TimeAgo at={key.createdAt} now={now} />,
          "Created by": creator ? (
            <Text>{creator}</Text>
          ) : (
            `Not in the audit log, which has the last ${deps.auditRetentionDays} days`
          ),
          "Last used": <LastUse {...key} now={now} />,
          Expires: <Expiry {...key} />,
        }}
      />
      {session.role === "admin" && key.active && (
        <div class="actions">
          <AskLink class="danger-link" href={`${list}/${id}/revoke`}>
            Revoke key
          </AskLink>
        </div>
      )}
      <h2>Permissions</h2>
      <Table
        columns={{
          "It may": ({ words }) => words,
          Scope: ({ scope }) => <code>{scope}</code>,
        }}
        rows={key.scopes.map((scope) => ({ scope, words: SCOPE_WORDS[scope as Scope] ?? scope }))}
      />
      <h2>Requests</h2>
      {isMissing(counts) ? (
        <MissingPart what="The requests cannot be counted." request={request} />
      ) : (
        <Requests counts={counts} requests={`${AREA_PATH}/${environment}/requests?key=${id}`} />
      )}
    </>,
  );
  return retryMissing(page, request, [counts]);
}

const NEAR_MS = 60_000;

/** Who created a key, according to the audit log. Its entry has about the time of the key, so that few entries are read. */
async function readCreator(deps: PageDeps, accountId: string, { id, createdAt }: Key): Promise<string | undefined> {
  const at = Date.parse(createdAt);
  const entry = await deps.prisma.auditEntry.findFirst({
    where: {
      ...{ accountId, subject: id, action: "key.created" },
      at: { gte: new Date(at - NEAR_MS), lte: new Date(at + NEAR_MS) },
    },
  });
  return entry?.actor;
}

function Requests({ counts, requests }: { counts: CountKeyRequestsResponse; requests: string }) {
  const { days, writes, replays, refusals, countedSince } = counts;
  if (days === 0) return <p>The request log is turned off.</p>;
  const failed = refusals.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <p>
        {countedSince ? (
          <>
            The newest logged requests, since <Time at={countedSince} />.
          </>
        ) : (
          `The last ${days} days.`
        )}{" "}
        Successful reads are not logged. <a href={requests}>All requests with this key</a>
      </p>
      <Facts
        facts={{
          "Successful writes": writes.toLocaleString("en"),
          Replayed: replays > 0 && replays.toLocaleString("en"),
          Failures: failed.toLocaleString("en"),
        }}
      />
      {refusals.length > 0 && (
        <Table
          caption="Failures by code"
          columns={{
            Code: ({ code }) => (
              <a href={`${requests}&status=${code}`}>
                <code>{code}</code>
              </a>
            ),
            Status: ({ code }) =>
              Object.hasOwn(errors, code) ? errors[code as ErrorCode].status : "Client disconnected",
            Requests: ({ count }) => count.toLocaleString("en"),
            Explanation: ({ code }) =>
              Object.hasOwn(errors, code) && (
                <a href={`/docs/errors#${code}`} aria-label={`How to fix: ${code}`}>
                  How to fix
                </a>
              ),
          }}
          rows={refusals}
        />
      )}
    </>
  );
}
