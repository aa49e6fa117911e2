import { EVENT_TYPES, type EventType, eventTypes } from "@shipping/proto/event-types";

export interface Guide {
  /** The path below `/docs`. */
  slug: string;
  file: string;
  title: string;
  about: string;
  /** The event type that it describes. Its fields and an example are added from the OpenAPI document. */
  event?: EventType;
}

/** Files in `docs` that are served unchanged. */
export const files: readonly string[] = ["webhook-vectors.json"];

/** A placeholder in the examples for the base URL of this installation. */
export const EXAMPLE_ORIGIN = "https://shipping.example.com";

/** The page to which the packages of the clients are added. */
export const CLIENTS = "clients";

const eventGuides: readonly Guide[] = EVENT_TYPES.map((event) => ({
  slug: `events/${event}`,
  file: `docs/events/${event}.md`,
  title: event,
  about: `Sent when ${eventTypes[event].sentWhen}.`,
  event,
}));

type Row = readonly [slug: string, title: string, about: string, file?: string];

/** The guides as the navigation groups them. The first of a group is its card on the overview. The API reference comes last. */
const GROUPS: Readonly<Record<string, readonly Row[]>> = {
  Start: [
    ["quick-start", "Quick start", "Create a label and download its PDF in five steps."],
    ["coding-agents", "With a coding agent", "What to give an agent, what it may do, and a key of its own."],
    ["environments", "Environments", "Sandbox and live environments, keys and scopes."],
    ["testing", "Testing", "Test your integration, including failures."],
  ],
  Concepts: [
    ["idempotency", "Idempotency", "Retry any request without creating a second label."],
    ["errors", "Errors and retries", "What each error means, and which requests to retry."],
    ["pagination", "Pagination", "Read lists page by page."],
    ["labels", "Labels", "What is printed on a label, and what its codes contain."],
    ["limits", "Limits", "Requests per minute, sizes and lengths."],
  ],
  Webhooks: [
    ["webhooks", "Webhooks", "Receive your first event: a receiver, a subscription, and what arrives."],
    [
      "webhook-signatures",
      "Verify signatures",
      "With a library or by your own code, and why a signature may not match.",
    ],
    [
      "receive-webhooks",
      "In your framework",
      "The raw body, and the verification, in twelve frameworks and on AWS Lambda.",
    ],
    ["webhook-recipes", "Recipes", "A receiver in JavaScript, Python, Go, Ruby, PHP and Java, without packages."],
    ["webhook-delivery", "Retries and ordering", "When an event is sent again, and what can arrive twice or late."],
    [
      "webhook-subscriptions",
      "Operate subscriptions",
      "Rotate a secret, change a URL, send a test, and find out why deliveries fail.",
    ],
    ["events", "Events", "The types of events, when they are sent, and what they contain."],
  ],
  Clients: [
    [CLIENTS, "Client packages", "Install the TypeScript or the Python client from this platform."],
    ["client", "TypeScript client", "Retries, pagination, typed errors and webhooks.", "client/README.md"],
    ["client-methods", "Client methods", "Every method of the TypeScript client, with its request, scope and result."],
    [
      "client-python",
      "Python client",
      "Retries, pagination, typed errors and webhooks for Python.",
      "client-python/README.md",
    ],
    [
      "other-languages",
      "Other languages",
      "Generate a client for PHP, Java, C#, Ruby, Go and others: what was tried, and what you add.",
    ],
  ],
  Reference: [
    ["versioning", "Versions and changes", "What can change within v1, and what your client must tolerate."],
    ["changelog", "Changelog", "Changes to the API, newest first."],
  ],
};

export const groups: readonly { name: string; guides: readonly Guide[] }[] = Object.entries(GROUPS).map(
  ([name, rows]) => ({
    name,
    guides: rows
      .map(([slug, title, about, file = `docs/${slug}.md`]): Guide => ({ slug, title, about, file }))
      .flatMap((guide) => (guide.slug === "events" ? [guide, ...eventGuides] : [guide])),
  }),
);

export const guides: readonly Guide[] = groups.flatMap((group) => group.guides);
