import { createHash } from "node:crypto";
import { ACTIVE_WEBHOOKS_LIMIT } from "@shipping/api/limits";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { readEndpointNames } from "../database/endpoint-names.js";
import { News, newsAnswer, newsQuery } from "../lists/news.js";
import { showUrl } from "../mail/host-name.js";
import { AREA_PATH, ask, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE, Paging, pagingQuery, readCursor, withParameters } from "../page/paging.js";
import { Table } from "../page/table.js";
import { AskLink, ButtonLink, ListHead, RowLink, Text, Time } from "../page/text.js";
import { parseResource } from "../read/read-resources.js";
import { endpointHost, listHealth, nameEndpoints, type Subscription } from "../read/read-webhooks.js";

/** Reads the active subscriptions with their health, and a page of the disabled ones. */
async function readSubscriptions(deps: PageDeps, request: PageRequest, after: string | undefined) {
  const { webhooks } = deps.clients;
  const [active, disabled, health] = await Promise.all([
    ask(request, webhooks.listSubscriptions, { limit: ACTIVE_WEBHOOKS_LIMIT, status: "active", after: undefined }),
    ask(request, webhooks.listSubscriptions, { limit: PAGE_SIZE, status: "disabled", after }),
    listHealth(deps, request),
  ]);
  // A release before this one does not know the states, and answers with all subscriptions.
  const of = (data: Uint8Array, state: string) =>
    parseResource<Subscription[]>(data).filter(({ status }) => status === state);
  return {
    inUse: of(active.data, "active").map((one) => ({ ...one, health: health.get(one.id) })),
    ended: of(disabled.data, "disabled"),
    nextCursor: disabled.nextCursor,
  };
}

type Read = Awaited<ReturnType<typeof readSubscriptions>>;

/** A short text that differs once a subscription on the page is new, or in another state. */
function digest({ inUse, ended }: Read): string {
  const states = [
    ...inUse.map(({ id, health, status }) => `${id} ${health?.state ?? status}`),
    ...ended.map(({ id, status }) => `${id} ${status}`),
  ];
  return createHash("sha256").update(states.join()).digest("base64url").slice(0, 12);
}

export const subscriptionNewsQuery = newsQuery(pagingQuery);

/** `GET …/webhooks/news`: whether the subscriptions of a page, or their states, are others than it shows. */
export async function showSubscriptionNews(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const read = await readSubscriptions(deps, request, readCursor(request.query, "whk"));
  return newsAnswer({ changed: digest(read) !== request.query.get("since") });
}

export async function showSubscriptions(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const after = readCursor(request.query, "whk");
  const [read, given] = await Promise.all([
    readSubscriptions(deps, request, after),
    readEndpointNames(deps, session.accountId),
  ]);
  const { inUse, ended, nextCursor } = read;
  const names = nameEndpoints(inUse, given);
  const list = `${AREA_PATH}/${environment}/webhooks`;
  const mayChange = session.role === "admin";
  const createLink = mayChange && <ButtonLink href={`${list}/new`}>Create subscription</ButtonLink>;
  return htmlPage(
    "Webhooks",
    <>
      <ListHead
        title={environment === "live" ? "Live webhooks" : "Sandbox webhooks"}
        add={inUse.length > 0 && createLink}
      >
        Each subscription sends events of this environment to a URL of yours, signed with its own secret.
      </ListHead>
      <News path={withParameters(`${list}/news`, after ? { after } : {})} since={digest(read)} what="subscriptions" />
      {inUse.length === 0 ? (
        <div class="empty">
          <p>
            {ended.length > 0
              ? `All ${environment} subscriptions are disabled. `
              : `There are no ${environment} subscriptions yet. `}
            Without one, your programs have to poll the API for changes.
          </p>
          {createLink}
        </div>
      ) : (
        <Table
          class="webhooks"
          places={{ Endpoint: "title", Status: "state", Since: "detail", Disable: "aside" }}
          columns={{
            Endpoint: ({ id, url, name }) => (
              <>
                <RowLink href={`${list}/${id}`} title={url}>
                  {name}
                </RowLink>
                {given.has(id) && (
                  <span class="beside soft">
                    {" "}
                    <Text>{endpointHost(url)}</Text>
                  </span>
                )}
              </>
            ),
            Status: ({ status, health }) => <StateTag state={health?.state ?? status} />,
            Since: ({ health, created_at }) => <Time at={health?.failingSince ?? created_at} short />,
            "Last success": ({ health }) =>
              health?.lastSuccessAt ? <Time at={health.lastSuccessAt} short /> : "Never",
            Events: ({ events }) => <span title={events.join(", ")}>{describeEvents(events)}</span>,
            Disable:
              mayChange &&
              (({ id, name }) => (
                <AskLink class="danger-link" href={`${list}/${id}/disable`} aria-label={`Disable ${name}`}>
                  Disable
                </AskLink>
              )),
          }}
          actions="Disable"
          rows={inUse.map((one) => ({ ...one, name: names.get(one.id) ?? one.url })).sort(byHealthAndName)}
        />
      )}
      {ended.length > 0 && <DisabledList rows={ended} list={list} />}
      <Paging
        path={list}
        query={request.query}
        after={after}
        next={nextCursor}
        nextWords="More disabled subscriptions"
      />
    </>,
  );
}

/** The subscriptions that were disabled, apart from those in use. */
function DisabledList({ rows, list }: { rows: readonly Subscription[]; list: string }) {
  return (
    <>
      <h2>Disabled</h2>
      <p>Nothing is sent to these endpoints any more. A disabled subscription cannot be enabled again.</p>
      <Table
        class="webhooks"
        places={{ Endpoint: "title", Status: "state", Disabled: "detail" }}
        columns={{
          Endpoint: ({ id, url }) => (
            <RowLink href={`${list}/${id}`} title={url}>
              {showUrl(url)}
            </RowLink>
          ),
          Status: ({ status }) => <StateTag state={status} />,
          Disabled: ({ disabled_at, created_at }) => <Time at={disabled_at ?? created_at} short />,
          Events: ({ events }) => <span title={events.join(", ")}>{describeEvents(events)}</span>,
        }}
        rows={[...rows].sort((one, other) => (other.disabled_at ?? "").localeCompare(one.disabled_at ?? ""))}
        rowClass={() => "over"}
      />
    </>
  );
}

/** Failing ones first, and by name among equals. */
function byHealthAndName(one: Listed, other: Listed): number {
  const placeOf = ({ health }: Listed) => (health?.state === "failing" ? 0 : 1);
  return placeOf(one) - placeOf(other) || one.name.localeCompare(other.name, "en");
}

type Listed = { name: string; health: SubscriptionHealth | undefined };

function describeEvents(events: readonly string[]): string {
  if (events.length === EVENT_TYPES.length) return "All events";
  const [first = ""] = events;
  return events.length === 1 ? first : `${first} and ${events.length - 1} more`;
}

const STATES: Record<string, { words: string; tone: string }> = {
  active: { words: "Active", tone: "good" },
  failing: { words: "Failing", tone: "danger" },
  disabled: { words: "Disabled", tone: "" },
};

/** The state of a subscription as a coloured tag. */
export function StateTag({ state }: { state: string }) {
  const { words, tone } = STATES[state] ?? { words: state, tone: "" };
  return <span class={`tag ${tone}`.trim()}>{words}</span>;
}
