import { EVENT_TYPES, type EventType } from "../input/schemas.js";

/** A page for integrators: where it is served below `/docs`, its file in the repository, and what it is called in the list. */
export interface Guide {
  slug: string;
  file: string;
  title: string;
  /** What it is about, in a line. */
  about: string;
  /** The type of events that it is about. The fields and an example, from the OpenAPI document, stand below its text. */
  event?: EventType;
}

const EVENTS: Record<EventType, string> = {
  "order.created": "Sent when an order is created.",
  "shipment.created": "Sent when a shipment is created.",
  "label.created": "Sent when a label is created.",
  "label.voided": "Sent when a label is voided.",
};

const eventGuides: readonly Guide[] = EVENT_TYPES.map((event) => ({
  slug: `events/${event}`,
  file: `docs/events/${event}.md`,
  title: event,
  about: EVENTS[event],
  event,
}));

/** All of them, in the order of reading. */
export const guides: readonly Guide[] = [
  ["quick-start", "Quick start", "From nothing to the PDF of a label in five steps."],
  ["idempotency", "Idempotency", "Repeat any request without a second label."],
  ["errors", "Errors and retries", "Which failures to repeat, and which to look at."],
  ["pagination", "Pagination", "Read lists to their end."],
  ["webhooks", "Webhooks", "Receive events and verify their signatures, in six languages."],
  ["events", "Events", "Which types there are, when each is sent, and what is in it."],
  ["labels", "Labels", "What is printed on a label, and what its codes hold."],
  ["limits", "Limits", "Requests per minute, sizes, lengths."],
  ["environments", "Environments", "Sandbox and live, keys and scopes."],
  ["testing", "Testing", "Try your integration, its failures included."],
  ["versioning", "Versions and changes", "What can change within v1, and what your client must tolerate."],
  ["changelog", "Changelog", "What has changed, newest first."],
]
  .map(([slug = "", title = "", about = ""]): Guide => ({ slug, title, about, file: `docs/${slug}.md` }))
  .flatMap((guide) => (guide.slug === "events" ? [guide, ...eventGuides] : [guide]))
  .concat({
    slug: "client",
    title: "TypeScript client",
    about: "Retries, pages, typed errors and webhooks, done for you.",
    file: "client/README.md",
  })
  .concat({
    slug: "client-methods",
    title: "Client methods",
    about: "Every method of the TypeScript client: its request, scope and answer.",
    file: "docs/client-methods.md",
  });
