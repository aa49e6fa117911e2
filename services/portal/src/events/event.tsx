import { eventTypes, isEventType } from "@shipping/proto/event-types";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { isMissing, MissingPart, readPart, retryMissing } from "../page/part.js";
import { Facts } from "../page/table.js";
import { Breadcrumb, Id, Json, Text, Time } from "../page/text.js";
import { readEvent, readOutcomes } from "../read/read-webhooks.js";
import { OutcomeList } from "./outcomes.js";

/** `GET …/events/{id}`: the event as receivers get it, and the outcome of its deliveries. */
export async function showEvent(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id } = request;
  const [event, outcomes] = await Promise.all([
    readEvent(deps, request, id),
    readPart(request, (part) => readOutcomes(deps, part, [id])),
  ]);
  const { type, data } = event;
  const createdAt = new Date(event.created_at);
  const page = htmlPage(
    "Event",
    <>
      <Breadcrumb list={`${AREA_PATH}/${environment}/webhooks`}>Webhooks</Breadcrumb>
      <h1>{getTitle(type)}</h1>
      <Facts
        facts={{
          Event: <Id>{id}</Id>,
          Type: <Id>{type}</Id>,
          [RESOURCES[data.object] ?? "Resource"]: (
            <>
              <a href={`${AREA_PATH}/${environment}/${data.object}s/${data.id}`}>
                <Text>{data.reference ?? data.tracking_number ?? data.id}</Text>
              </a>
              <span class="sub">
                <Id>{data.id}</Id>
              </span>
            </>
          ),
          Created: <Time at={createdAt} />,
        }}
      />
      <h2>Receivers</h2>
      {isMissing(outcomes) ? (
        <MissingPart what="The delivery status cannot be shown." request={request} />
      ) : (
        <OutcomeList outcomes={outcomes.get(id)} createdAt={createdAt} now={deps.now()} environment={environment} />
      )}
      <h2>Payload</h2>
      <Json value={event} />
    </>,
  );
  return retryMissing(page, request, [outcomes]);
}

const RESOURCES: Readonly<Record<string, string>> = { order: "Order", shipment: "Shipment", label: "Label" };

const getTitle = (type: string) => (isEventType(type) ? eventTypes[type].title : type);
