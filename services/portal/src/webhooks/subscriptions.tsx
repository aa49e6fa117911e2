import { createHash } from "node:crypto";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { News, newsAnswer, newsQuery } from "../lists/news.js";
import { AREA_PATH, ask, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE, Paging, pagingQuery, readCursor, withParameters } from "../page/paging.js";
import { Table } from "../page/table.js";
import { ButtonLink, ListHead, RowLink, Time } from "../page/text.js";
import { parseResource } from "../read/read-resources.js";
import { listHealth, type Subscription } from "../read/read-webhooks.js";

/** Reads a page of subscriptions, and their health. */
async function readSubscriptions(deps: PageDeps, request: PageRequest, after: string | undefined) {
  const { data, nextCursor } = await ask(request, deps.clients.webhooks.listSubscriptions, { limit: PAGE_SIZE, after });
  const subscriptions = parseResource<Subscription[]>(data);
  const ids = subscriptions.map(({ id }) => id);
  const health = ids.length > 0 ? await listHealth(deps, request, ids) : new Map<string, SubscriptionHealth>();
  return { rows: subscriptions.map((one) => ({ ...one, health: health.get(one.id) })), nextCursor };
}

type ListedSubscription = Awaited<ReturnType<typeof readSubscriptions>>["rows"][number];

/** A short text that differs once a subscription on the page is new, or in another state. */
function digest(rows: readonly ListedSubscription[]): string {
  const states = rows.map(({ id, status, health }) => `${id} ${health?.state ?? status}`);
  return createHash("sha256").update(states.join()).digest("base64url").slice(0, 12);
}

export const subscriptionNewsQuery = newsQuery(pagingQuery);

/** `GET …/webhooks/news`: whether the subscriptions of a page, or their states, are others than it shows. */
export async function showSubscriptionNews(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { rows } = await readSubscriptions(deps, request, readCursor(request.query, "whk"));
  return newsAnswer({ changed: digest(rows) !== request.query.get("since") });
}

export async function showSubscriptions(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const after = readCursor(request.query, "whk");
  const { rows: subscriptions, nextCursor } = await readSubscriptions(deps, request, after);
  const list = `${AREA_PATH}/${environment}/webhooks`;
  const mayChange = session.role === "admin";
  const createLink = mayChange && <ButtonLink href={`${list}/new`}>Create subscription</ButtonLink>;
  return htmlPage(
    "Webhooks",
    <>
      <ListHead
        title={environment === "live" ? "Live webhooks" : "Sandbox webhooks"}
        add={subscriptions.length > 0 && createLink}
      >
        Each subscription sends events of this environment to a URL of yours, signed with its own secret.
      </ListHead>
      <News
        path={withParameters(`${list}/news`, after ? { after } : {})}
        since={digest(subscriptions)}
        what="subscriptions"
      />
      {subscriptions.length === 0 ? (
        <div class="empty">
          <p>
            There are no {environment} subscriptions yet. Without one, your programs have to poll the API for changes.
          </p>
          {createLink}
        </div>
      ) : (
        <Table
          class="webhooks"
          places={{ Endpoint: "title", Status: "state", Since: "detail", Disable: "aside" }}
          columns={{
            Endpoint: ({ id, url }) => <RowLink href={`${list}/${id}`}>{url}</RowLink>,
            Status: ({ status, health }) => <StateTag state={health?.state ?? status} />,
            Since: ({ disabled_at, health, created_at }) => (
              <Time at={health?.failingSince ?? disabled_at ?? created_at} short />
            ),
            "Last success": ({ health }) =>
              health?.lastSuccessAt ? <Time at={health.lastSuccessAt} short /> : "Never",
            Events: ({ events }) => <span title={events.join(", ")}>{describeEvents(events)}</span>,
            Disable:
              mayChange &&
              (({ id, status }) =>
                status === "active" && (
                  <a class="danger-link" href={`${list}/${id}/disable`} aria-label={`Disable ${id}`}>
                    Disable
                  </a>
                )),
          }}
          actions="Disable"
          rows={[...subscriptions].sort(byHealthAndName)}
          rowClass={({ status }) => (status === "active" ? undefined : "over")}
        />
      )}
      <Paging path={list} query={request.query} after={after} next={nextCursor} />
    </>,
  );
}

const ORDER = ["failing", "active", "disabled"];

/** Failing ones first, disabled ones last, and by URL among equals. */
function byHealthAndName(one: Listed, other: Listed): number {
  const placeOf = ({ health, status }: Listed) => ORDER.indexOf(health?.state ?? status);
  return placeOf(one) - placeOf(other) || one.url.localeCompare(other.url, "en");
}

type Listed = Pick<Subscription, "status" | "url"> & { health: SubscriptionHealth | undefined };

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
