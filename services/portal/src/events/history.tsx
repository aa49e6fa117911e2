import type { Environment } from "@shipping/kit/caller";
import { isId } from "@shipping/kit/ids";
import { answered, callOptions } from "@shipping/kit/rpc/call-owner";
import type { KeyName } from "@shipping/proto/shipping/access/v1/access_pb";
import type { Origin } from "@shipping/proto/shipping/common/v1/common_pb";
import { AREA_PATH, type PageDeps, type PageRequest } from "../page/page.js";
import { isMissing, MissingPart, type Part, readPart, unlessMissing } from "../page/part.js";
import { Ago, Id, Text, TimeAgo } from "../page/text.js";
import type { HistoryEntry } from "../read/read-resources.js";
import { type Outcomes, readOutcomes } from "../read/read-webhooks.js";
import { OutcomeList, OutcomeSummary } from "./outcomes.js";

type KeyNames = ReadonlyMap<string, KeyName>;
const NO_NAMES: KeyNames = new Map();

async function readKeyNames(deps: PageDeps, request: PageRequest, history: readonly HistoryEntry[]): Promise<KeyNames> {
  const ids = history.map(({ origin }) => origin?.requestedBy ?? "").filter((id) => isId("key", id));
  if (ids.length === 0) return new Map();
  const wanted = { accountId: request.session.accountId, ids: [...new Set(ids)] };
  const { keys } = await answered(deps.access.nameKeys(wanted, callOptions(request)));
  return new Map(keys.map((key) => [key.id, key]));
}

/** The changes of a resource, as its pages show them. */
export interface History {
  history: readonly HistoryEntry[];
  keys: Part<KeyNames>;
  outcomes: Part<Outcomes>;
  now: Date;
}

/** Reads who made these changes, and the outcome of their events. */
export async function readHistory(
  deps: PageDeps,
  request: PageRequest,
  history: readonly HistoryEntry[],
): Promise<History> {
  const eventIds = history.flatMap(({ origin }) => origin?.eventId || []);
  const [keys, outcomes] = await Promise.all([
    readPart(request, (part) => readKeyNames(deps, part, history)),
    readPart(request, (part) => readOutcomes(deps, part, eventIds)),
  ]);
  return { history, keys, outcomes, now: deps.now() };
}

/** The changes, oldest first: action, time, actor, request, and the outcome of the event. */
export function Timeline({ history, keys, outcomes, now, request }: History & { request: PageRequest }) {
  const { environment } = request;
  const base = `${AREA_PATH}/${environment}`;
  const known = unlessMissing(outcomes);
  const names = unlessMissing(keys) ?? NO_NAMES;
  return (
    <>
      <ol class="timeline">
        {history.map(({ type, words, at, origin }) => (
          <li>
            <strong>{words}</strong> <TimeAgo at={at} now={now} />
            <span class="sub">
              <Requester origin={origin} keys={names} environment={environment} />
            </span>
            {origin?.eventId && (
              <>
                <span class="sub">
                  Event <code>{type}</code> <Id href={`${base}/events/${origin.eventId}`}>{origin.eventId}</Id>
                </span>
                {known && (
                  <OutcomeList
                    outcomes={known.get(origin.eventId)}
                    createdAt={at}
                    now={now}
                    environment={environment}
                  />
                )}
              </>
            )}
          </li>
        ))}
      </ol>
      {known && history.length > 0 && <LeftOut environment={environment} />}
      {isMissing(keys) && <MissingPart what="The names of the API keys cannot be shown." request={request} />}
      {isMissing(outcomes) && <MissingPart what="The delivery status cannot be shown." request={request} />}
    </>
  );
}

/** Says what the history of deliveries does not have, and where to look instead. */
function LeftOut({ environment }: { environment: Environment }) {
  return (
    <p class="hint">
      Only the state of each delivery is shown: request and response bodies, and sending an event again, are not part of
      this version of the API. The page of <a href={`${AREA_PATH}/${environment}/webhooks`}>each endpoint</a> says why
      deliveries fail.
    </p>
  );
}

/** The latest change in a sentence: action, age, actor, and whether its event was delivered. */
export function LatestChange({ history, keys, outcomes, now }: History) {
  const last = history.at(-1);
  if (!last) return null;
  const { words, at, origin } = last;
  const { requestedBy = "", eventId = "" } = origin ?? {};
  const key = unlessMissing(keys)?.get(requestedBy);
  const known = unlessMissing(outcomes);
  return (
    <p class="lead">
      {words} <Ago at={at} now={now} />
      {key ? (
        <>
          {" "}
          with key <strong>{key.name === undefined ? `…${key.lastFour}` : <Text>{key.name}</Text>}</strong>
        </>
      ) : (
        requestedBy !== "" && (
          <>
            {" "}
            by <Text>{requestedBy}</Text>
          </>
        )
      )}
      .
      {known && eventId !== "" && (
        <>
          {" "}
          <OutcomeSummary outcomes={known.get(eventId)} createdAt={at} now={now} />.
        </>
      )}
    </p>
  );
}

function Requester(props: { origin: Origin | undefined; keys: KeyNames; environment: Environment }) {
  const { requestedBy = "", requestId = "" } = props.origin ?? {};
  if (requestedBy === "" && requestId === "") return <>The API key is unknown.</>;
  const key = props.keys.get(requestedBy);
  return (
    <>
      By{" "}
      {key ? (
        <>
          API key {key.name !== undefined && <Text>{key.name}</Text>} <code>…{key.lastFour}</code>
        </>
      ) : (
        <Text>{requestedBy}</Text>
      )}
      {requestId !== "" && (
        <>
          {" · request "}
          {/* Forms of the developer area are in the audit log, not in the request log. */}
          <Id {...(isId("key", requestedBy) && { href: `${AREA_PATH}/${props.environment}/requests/${requestId}` })}>
            {requestId}
          </Id>
        </>
      )}
    </>
  );
}
