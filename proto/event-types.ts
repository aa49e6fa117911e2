/** The description of an event: the resource in its `data`, and the sentences that the API, the guides and the developer area show. */
interface EventFacts {
  resource: "order" | "shipment" | "label";
  description: string;
  sentWhen: string;
  /** The sentence in the history of a resource. */
  title: string;
}

/** Every event that integrators can receive, in the order in which they see them. */
export const eventTypes = {
  "order.created": {
    resource: "order",
    description: "An order was created.",
    sentWhen: "an order is created",
    title: "Order received",
  },
  "shipment.created": {
    resource: "shipment",
    description: "A shipment was created.",
    sentWhen: "a shipment is created",
    title: "Shipment created",
  },
  "label.created": {
    resource: "label",
    description: "A label was created.",
    sentWhen: "a label is created",
    title: "Label created",
  },
  "label.voided": {
    resource: "label",
    description: "A label was voided.",
    sentWhen: "a label is voided",
    title: "Label voided",
  },
} as const satisfies Record<string, EventFacts>;

/** The type of an event: `label.created`. */
export type EventType = keyof typeof eventTypes;

export const EVENT_TYPES = Object.keys(eventTypes) as [EventType, ...EventType[]];

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(eventTypes, type);
}

const COUNTS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** The rule for the event types of a subscription, for messages: "one to four different event types". */
export const SOME_EVENT_TYPES = `one to ${COUNTS[EVENT_TYPES.length] ?? EVENT_TYPES.length} different event types`;

/** The total number of attempts to deliver an event. Delivery stops after the last has failed. */
export const MAX_ATTEMPTS = 8;
