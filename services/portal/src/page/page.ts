import type { CallOptions, Client } from "@connectrpc/connect";
import { type Fields, NO_FIELDS } from "@shipping/api/input/fields";
import type { Actor, Caller, Environment } from "@shipping/kit/caller";
import { failureIn } from "@shipping/kit/errors";
import type { TrustedProxies } from "@shipping/kit/http/client-address";
import type { RequestLocals } from "@shipping/kit/http/request-locals";
import { answered, callOptions } from "@shipping/kit/rpc/call-owner";
import type { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import type { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import type { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import type { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { ComponentChildren } from "preact";
import type { PortalDeps } from "../database/deps.js";
import type { Provider } from "../session/provider.js";
import type { SignedIn } from "../session/session.js";
import type { DeveloperArea } from "../session/settings.js";
import { accountQuery } from "./form.js";
import type { Form } from "./read-form.js";

export const AREA_PATH = "/developers";

/** The dependencies of the developer area. */
export interface AreaDeps extends PortalDeps {
  /** The gateway. */
  access: Client<typeof AccessService>;
  /** The services that pages read. */
  clients: {
    records: Client<typeof RecordsService>;
    carrier: Client<typeof CarrierService>;
    tracking: Client<typeof TrackingService>;
    webhooks: Client<typeof WebhooksService>;
  };
  /** Whether emails can be sent. */
  canMail: boolean;
  trustedProxies: TrustedProxies;
  auditRetentionDays: number;
  /** Writes the changes that are not in the audit log yet, and says which could not be read. */
  catchUp(): Promise<string[]>;
  /** The URL of this process, for an area without a public one. */
  ownOrigin(): string;
}

export interface PageDeps extends AreaDeps {
  area: DeveloperArea;
  /** Scheme and host under which people reach the area, from the configuration and never from a request. */
  origin(): string;
  provider: Provider | undefined;
  /** A guide's HTML, with the base URL of this installation. */
  guide(slug: string): string;
}

/** The sections of an environment with their names. Their paths are the same in both environments. */
export const ENVIRONMENT_SECTIONS = {
  overview: "Overview",
  shipments: "Shipments",
  orders: "Orders",
  labels: "Labels",
  requests: "Requests",
  webhooks: "Webhooks",
  keys: "API keys",
} as const;

export const ACCOUNT_SECTIONS = {
  "quick-start": "Quick start",
  members: "Members",
  audit: "Audit log",
  sessions: "Your sessions",
} as const;

/** The entry of the navigation that a page belongs to. */
export type Section = keyof typeof ENVIRONMENT_SECTIONS | keyof typeof ACCOUNT_SECTIONS;

export interface VisitorRequest {
  session: SignedIn | undefined;
  environment: Environment;
  /** `{id}` of the path; empty if it has none. */
  id: string;
  /** The parameters that the page declares. */
  query: URLSearchParams;
  /** The path and query as they were sent. */
  url: string;
  cookies: string | undefined;
  /** The submitted form; empty if the page takes none. */
  form: Form;
  source: string;
  userAgent: string;
  /** True if, according to the browser, a person opened this page; true for every form. */
  openedByPerson: boolean;
  requestId: string;
  deadline: number;
}

export interface PageRequest extends VisitorRequest {
  session: SignedIn;
  /** The member, as the audit log names them. */
  actor: Actor;
}

export interface HtmlPage {
  status: number;
  title: string;
  body: ComponentChildren;
  /** The page shows a secret, so it is not compressed. */
  secret?: true;
  /** The text that the page has searched for. The search field shows it. */
  searched?: string;
  /** Changes with the facts that the page shows. The script shows the page again when it has changed. */
  live?: string;
  /** The browser reloads the page after so many seconds (`Refresh` header). */
  refreshSeconds?: number | undefined;
}

/** A change that a form has made. The page to which its answer redirects names it, once. */
export type Done =
  | "key-revoked"
  | "keys-revoked"
  | "subscription-disabled"
  | "endpoint-named"
  | "label-voided"
  | "member-removed"
  | "account-left"
  | "role-changed"
  | "session-ended"
  | "view-saved"
  | "view-renamed"
  | "view-deleted"
  | "member-signed-out"
  | "account-switched"
  | "signed-out"
  | "signed-out-everywhere";

type Redirect = { location: string; done?: Done };

interface FileContent {
  type: string;
  body: Uint8Array;
  /** The name under which the browser saves the file. Without a name, it shows the file. */
  name?: string;
  /** The browser may cache the content, with the ETag of the answer. */
  kept?: true;
}

/** A file. Its content is made only if the browser has not cached it. */
export interface FileAnswer {
  /** Includes the quotes. */
  etag?: string;
  content(): Promise<FileContent>;
}

/** A file to be saved under a name. All but its first chunk is made as the client reads it, each chunk in a place among the heavy pages. */
export interface Download {
  type: string;
  name: string;
  first: Buffer;
  rest: AsyncGenerator<Buffer>;
}

/** The answer of a page's handler. `cookies` are `Set-Cookie` headers. */
export type PageAnswer = (HtmlPage | Redirect | FileAnswer) & { cookies?: readonly string[] };

interface Shown {
  method: "GET";
  /** The parameters of its query. Its handler does not see any others. */
  query?: Fields;
  /** The script asks for it by itself, so it does not extend the session. */
  polled?: true;
}

interface Submitted {
  method: "POST";
  /** The fields of its form, which may have no others. If undefined, the body is not read. */
  form: Fields | undefined;
}

type Row = (Shown | Submitted) & {
  /** May contain `{environment}` and `{id}`. */
  path: string;
  section?: Section;
};

type OpenPage = Row & {
  access: "anyone";
  handler(deps: PageDeps, request: VisitorRequest): Promise<PageAnswer>;
};

export type AccountPage = Row & {
  /** The role that the page requires. An admin may do everything that a viewer may. */
  access: "viewer" | "admin";
  /** The page reads from several parts, or makes a file. A page without an ID, which lists, counts or searches, always does. */
  heavy?: true;
  handler(deps: PageDeps, request: PageRequest): Promise<PageAnswer | Download>;
};

export type PageRoute = OpenPage | AccountPage;

/** The parameters that the query of a page may have. The query of a form names the account. */
export function getQueryFields(page: PageRoute): Fields {
  return page.method === "GET" ? (page.query ?? NO_FIELDS) : accountQuery;
}

/** True if only a few such pages may be made at once: a list, a search, an export, a file or a picture. */
export function isHeavy({ method, path, heavy }: AccountPage): boolean {
  return heavy ?? (method === "GET" && !path.includes("{id}"));
}

export function isPerEnvironment({ path }: Pick<PageRoute, "path">): boolean {
  return path.startsWith("/{environment}");
}

/** True if a page requires a recent sign-in: it changes the live environment, or the whole account, such as its members. */
export function needsRecentSignIn(page: Pick<PageRoute, "access" | "path">, environment: Environment): boolean {
  return page.access === "admin" && (environment === "live" || !isPerEnvironment(page));
}

export interface PageLocals extends RequestLocals {
  page: PageRoute | undefined;
  session: SignedIn | undefined;
  environment: Environment;
  done: Done | undefined;
}

export function toCaller({ session, environment }: Pick<PageRequest, "session" | "environment">): Caller {
  return { accountId: session.accountId, environment };
}

/** Calls a method of another part for the account and environment of a page, within the page's time. Undefined fields are not sent. */
export async function ask<Asked, Answer>(
  request: PageRequest,
  method: (asked: Asked, options: CallOptions) => Promise<Answer>,
  asked: { [Name in keyof Omit<Asked, "caller">]: Asked[Name & keyof Asked] | undefined },
): Promise<Answer> {
  return answered(method({ caller: toCaller(request), ...asked } as Asked, callOptions(request)));
}

/** The answer; undefined if the other part has no such thing. */
export async function unlessNotFound<Answer>(asking: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (failureIn(error)?.code === "not_found") return undefined;
    throw error;
  }
}

export function htmlPage(title: string, body: ComponentChildren): HtmlPage {
  return { status: 200, title, body };
}
