import type { Caller, Environment } from "@shipping/kit/caller";
import type { ComponentChildren } from "preact";
import type { Actor } from "../../accounts/audit.js";
import type { ApiDeps } from "../../api/deps.js";
import type { Locals } from "../../api/locals.js";
import type { Provider } from "../session/provider.js";
import type { SignedIn } from "../session/session.js";
import type { DeveloperArea, DeveloperDeps } from "../session/settings.js";
import type { Form } from "./read-form.js";

/** The path under which the gateway serves the developer area. */
export const AREA_PATH = "/developers";

/** The dependencies of all pages. */
export interface PageDeps extends ApiDeps, DeveloperDeps {
  area: DeveloperArea;
  /** Scheme and host under which people reach the area, from the configuration and never from a request. */
  origin(): string;
  provider: Provider | undefined;
}

/** The entry of the navigation that a page belongs to. */
export type Section =
  | "overview"
  | "shipments"
  | "orders"
  | "labels"
  | "requests"
  | "keys"
  | "webhooks"
  | "members"
  | "audit"
  | "quick-start";

/** A request for a page. */
export interface VisitorRequest {
  /** Undefined if nobody is signed in. */
  session: SignedIn | undefined;
  environment: Environment;
  /** `{id}` or `{token}` of the path; empty if it has neither. */
  id: string;
  query: URLSearchParams;
  /** The path and query as they were sent. */
  url: string;
  /** The `Cookie` header. */
  cookies: string | undefined;
  /** The submitted form; empty if the page takes none. */
  form: Form;
  /** The client's IP address. */
  source: string;
  /** True if, according to the browser, a person opened this page. */
  openedByPerson: boolean;
  requestId: string;
  deadline: number;
}

/** A request by a member who is signed in. */
export interface PageRequest extends VisitorRequest {
  session: SignedIn;
  /** The member, as the audit log names them. */
  actor: Actor;
}

/** A page to show. */
export interface HtmlPage {
  status: number;
  title: string;
  body: ComponentChildren;
  /** The page shows a secret, so it is not compressed. */
  secret?: true;
  /** The browser reloads the page after so many seconds (`Refresh` header). */
  refreshSeconds?: number | undefined;
}

/** A redirect to another page, with status 303. */
interface Redirect {
  location: string;
}

/** The content of a file. */
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

/** The answer of a page's handler. `cookies` are `Set-Cookie` headers. */
export type PageAnswer = (HtmlPage | Redirect | FileAnswer) & { cookies?: readonly string[] };

interface Row {
  method: "GET" | "POST";
  /** May contain `{environment}`, `{id}` and `{token}`. */
  path: string;
  section?: Section;
}

/** A page for everyone, signed in or not. */
export interface OpenPage extends Row {
  access: "anyone";
  /** The handler gets the submitted form. */
  takesForm?: true;
  handler(deps: PageDeps, request: VisitorRequest): Promise<PageAnswer>;
}

/** A page for members of an account. */
export interface AccountPage extends Row {
  /** The role that the page requires. An admin may do everything that a viewer may. */
  access: "viewer" | "admin";
  handler(deps: PageDeps, request: PageRequest): Promise<PageAnswer>;
}

export type PageRoute = OpenPage | AccountPage;

/** True if a page reads a form. Every page that changes an account does. */
export function takesForm(page: PageRoute): boolean {
  return page.access === "anyone" ? page.takesForm === true : page.method === "POST";
}

/** True if a page belongs to one environment, and not to the whole account. */
export function isPerEnvironment({ path }: Pick<PageRoute, "path">): boolean {
  return path.startsWith("/{environment}");
}

/** True if a page requires a recent sign-in: it changes the live environment, or the whole account, such as its members. */
export function needsRecentSignIn(page: Pick<PageRoute, "access" | "path">, environment: Environment): boolean {
  return page.access === "admin" && (environment === "live" || !isPerEnvironment(page));
}

/** `res.locals` in the developer area. */
export interface PageLocals extends Locals {
  page: PageRoute | undefined;
  session: SignedIn | undefined;
  environment: Environment;
}

/** The account and environment whose data a page shows. */
export function toCaller({ session, environment }: Pick<PageRequest, "session" | "environment">): Caller {
  return { accountId: session.accountId, environment };
}

/** A page with status 200. */
export function htmlPage(title: string, body: ComponentChildren): HtmlPage {
  return { status: 200, title, body };
}
