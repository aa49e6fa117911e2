import type { Caller, Environment } from "@shipping/kit/caller";
import type { ComponentChildren } from "preact";
import type { Actor } from "../../accounts/audit.js";
import type { ApiDeps } from "../../api/deps.js";
import type { Locals } from "../../api/locals.js";
import type { Provider } from "../session/provider.js";
import type { SignedIn } from "../session/session.js";
import type { DeveloperArea, DeveloperDeps } from "../session/settings.js";
import type { Form } from "./read-form.js";

/** Where the developer area begins on the gateway's host. */
export const AREA_PATH = "/developers";

/** The dependencies of all pages. */
export interface PageDeps extends ApiDeps, DeveloperDeps {
  area: DeveloperArea;
  /** Scheme and host under which people reach the area: from configuration, never from a request. */
  origin(): string;
  provider: Provider | undefined;
}

/** The part of the area that a page belongs to, for the navigation. */
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

/** The request for a page. Values that the path does not contain are empty. */
export interface VisitorRequest {
  environment: Environment;
  /** The id or the token in the path. */
  id: string;
  query: URLSearchParams;
  /** The path and query as they were sent. */
  url: string;
  /** The `Cookie` header. */
  cookies: string | undefined;
  /** Empty unless the page takes one. */
  form: Form;
  /** The network address that the request comes from. */
  source: string;
  /** True if a person opened this page, according to the browser. */
  deliberate: boolean;
  requestId: string;
  deadline: number;
}

/** The same for a member who is signed in. */
export interface PageRequest extends VisitorRequest {
  session: SignedIn;
  /** The member who makes the change, for the audit log. */
  actor: Actor;
}

/** A page to show. */
export interface HtmlPage {
  status: number;
  title: string;
  body: ComponentChildren;
  /** Shows a secret: it is not compressed, and the script wipes it when it is left. */
  secret?: true;
  /** It is loaded anew after so many seconds, with a script or without. */
  refreshSeconds?: number | undefined;
}

/** Where to go instead. */
interface Redirect {
  location: string;
}

/** The content of a file. */
interface FileContent {
  type: string;
  body: Uint8Array;
  /** Under which it is saved; one that has no name is shown. */
  name?: string;
  /** Whether the reader's browser may keep it, under the file's entity tag. */
  kept?: true;
}

/** A file to show or to save, made only if the reader does not have it. */
export interface FileAnswer {
  /** Of the content that may be kept, with its quotes. */
  etag?: string;
  content(): Promise<FileContent>;
}

/** The answer of a page's handler. `cookies` are `Set-Cookie` headers. */
export type PageAnswer = (HtmlPage | Redirect | FileAnswer) & { cookies?: readonly string[] };

interface Row {
  method: "GET" | "POST";
  /** `{environment}`, `{id}` and `{token}` stand for themselves. */
  path: string;
  section?: Section;
}

/** A page for everyone. `session` is there if they are signed in. */
export interface OpenPage extends Row {
  access: "anyone";
  /** Reads the form that is posted. */
  takesForm?: true;
  handler(deps: PageDeps, asked: VisitorRequest & { session: SignedIn | undefined }): Promise<PageAnswer>;
}

/** A page of an account. */
export interface AccountPage extends Row {
  /** The least role: viewers can look, admins can change things as well. */
  access: "viewer" | "admin";
  handler(deps: PageDeps, request: PageRequest): Promise<PageAnswer>;
}

export type PageRoute = OpenPage | AccountPage;

/** True if a page reads a form. Every page that changes an account does, because the form names the account. */
export function takesForm(page: PageRoute): boolean {
  return page.access === "anyone" ? page.takesForm === true : page.method === "POST";
}

/** True if a page is about one environment. The others are about the whole account, or about no account. */
export function isPerEnvironment({ path }: Pick<PageRoute, "path">): boolean {
  return path.startsWith("/{environment}");
}

/** True if a page requires a sign-in within the last minutes: it changes the live environment, or something that belongs to both, such as members. */
export function takesFreshSignIn(page: Pick<PageRoute, "access" | "path">, environment: Environment): boolean {
  return page.access === "admin" && (environment === "live" || !isPerEnvironment(page));
}

/** What the developer area knows about a request, in addition to what the gateway knows. */
export interface PageLocals extends Locals {
  page: PageRoute | undefined;
  session: SignedIn | undefined;
  environment: Environment;
}

/** The account and environment whose data a page shows. */
export function callerOfPage({ session, environment }: Pick<PageRequest, "session" | "environment">): Caller {
  return { accountId: session.accountId, environment };
}

/** A page with its status 200. */
export function shown(title: string, body: ComponentChildren): HtmlPage {
  return { status: 200, title, body };
}
