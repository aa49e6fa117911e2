import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { AREA_PATH, ask, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE, Paging, readCursor } from "../page/paging.js";
import { Table } from "../page/table.js";
import { ButtonLink, Chips, ListHead, Middle, Time } from "../page/text.js";
import { parseResource } from "../read/read-resources.js";
import { listHealth, type Subscription } from "../read/read-webhooks.js";

export async function showSubscriptions(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const after = readCursor(request.query, "whk");
  const { webhooks } = deps.clients;
  const { data, nextCursor } = await ask(request, webhooks.listSubscriptions, { limit: PAGE_SIZE, after });
  const subscriptions = parseResource<Subscription[]>(data);
  const ids = subscriptions.map(({ id }) => id);
  const health = ids.length > 0 ? await listHealth(deps, request, ids) : new Map<string, SubscriptionHealth>();
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
      {subscriptions.length === 0 ? (
        <div class="empty">
          <p>
            There are no {environment} subscriptions yet. Without one, your programs have to poll the API for changes.
          </p>
          {createLink}
        </div>
      ) : (
        <Table
          class="list webhooks"
          columns={{
            Endpoint: ({ id, url }) => (
              <span>
                <a href={`${list}/${id}`} aria-label={url}>
                  <Middle>{url}</Middle>
                </a>
                <code class="sub">
                  <Middle>{id}</Middle>
                </code>
              </span>
            ),
            Status: ({ status, disabled_at, health }) => (
              <StateTag state={health?.state ?? status} since={health?.failingSince ?? disabled_at} />
            ),
            "Last success": ({ health }) => (health?.lastSuccessAt ? <Time at={health.lastSuccessAt} /> : "Never"),
            Events: ({ events }) => <Chips words={events} />,
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
          rows={subscriptions.map((subscription) => ({ ...subscription, health: health.get(subscription.id) }))}
          rowClass={({ status }) => (status === "active" ? undefined : "over")}
        />
      )}
      <Paging path={list} after={after} next={nextCursor} />
    </>,
  );
}

const STATES: Record<string, { words: string; tone: string }> = {
  active: { words: "Active", tone: "good" },
  failing: { words: "Failing", tone: "danger" },
  disabled: { words: "Disabled", tone: "" },
};

/** The state of a subscription as a coloured tag, with the time since when it has been failing or disabled. */
export function StateTag({ state, since }: { state: string; since?: string | undefined }) {
  const { words, tone } = STATES[state] ?? { words: state, tone: "" };
  return (
    <span>
      <span class={`tag ${tone}`.trim()}>{words}</span>
      {since && (
        <span class="sub">
          since <Time at={since} />
        </span>
      )}
    </span>
  );
}
