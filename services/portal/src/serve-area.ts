import type { IncomingMessage } from "node:http";
import { EXAMPLE_ORIGIN } from "@shipping/api/guides";
import { readQuery } from "@shipping/api/input/fields";
import type { Environment } from "@shipping/kit/caller";
import { fail, failureIn } from "@shipping/kit/errors";
import { getClientAddress } from "@shipping/kit/http/client-address";
import { refuseOtherMethods } from "@shipping/kit/http/refuse-request";
import { ANSWER_MS } from "@shipping/kit/http/request-locals";
import { unknownRoute } from "@shipping/kit/http/send-answer";
import { findGuide } from "@shipping/site/documents";
import { type Request, type Response, Router } from "express";
import helmet from "helmet";
import type { AreaLimits } from "./limits/page-limits.js";
import { sendPageAnswer, sendRefusal } from "./page/answer.js";
import { isDone } from "./page/done.js";
import { sendDownload } from "./page/download.js";
import { isFormFor } from "./page/form.js";
import { serveAssets } from "./page/layout.js";
import {
  AREA_PATH,
  type AreaDeps,
  getQueryFields,
  type HtmlPage,
  isHeavy,
  needsRecentSignIn,
  type PageAnswer,
  type PageDeps,
  type PageLocals,
  type PageRoute,
  type VisitorRequest,
} from "./page/page.js";
import { isOwnForm, parseForm, readFormText } from "./page/read-form.js";
import { forbidden, otherAccountPage, suspendedPage } from "./page/refusal-page.js";
import { pages } from "./pages.js";
import { createProvider } from "./session/provider.js";
import { findSession, limitForms, readCookie, type SignedIn, setCookie } from "./session/session.js";
import type { DeveloperArea } from "./session/settings.js";
import { showSignedOut, showSignInAgain } from "./sign-in/sign-in.js";

type PageRequestHead = Request<Record<string, string>>;
type PageResponse = Response<unknown, PageLocals>;
interface Answering {
  req: PageRequestHead;
  res: PageResponse;
  limits: AreaLimits;
}
/** A request before its session is looked up and its form is read. */
type Visit = Omit<VisitorRequest, "session" | "form" | "deadline">;

/** The developer area: a router whose errors are pages, not JSON. */
export function serveArea(deps: AreaDeps, area: DeveloperArea, limits: AreaLimits): Router {
  const origin = () => area.publicUrl ?? deps.ownOrigin();
  const callback = () => `${origin()}${AREA_PATH}/sign-in/callback`;
  const provider = area.provider && createProvider(area.provider, callback, deps.log);
  const pageDeps: PageDeps = { ...deps, area, origin, provider, guide: (slug) => guide(slug, origin()) };
  const router = Router({ caseSensitive: true, strict: true });
  const assets = serveAssets(router).map((path) => ({ method: "GET", path }));
  router.use(AREA_PATH, headers);
  for (const page of pages) {
    const method = page.method.toLowerCase() as "get" | "post";
    router[method](AREA_PATH + page.path.replace(/\{(\w+)\}/g, ":$1"), (req: PageRequestHead, res: PageResponse) =>
      answerPage(pageDeps, page, { req, res, limits }),
    );
  }
  const rows = pages.map(({ method, path }) => ({ method, path: AREA_PATH + path }));
  router.use(refuseOtherMethods([...rows, ...assets]));
  router.use(AREA_PATH, () => {
    throw unknownRoute();
  });
  router.use(sendRefusal(deps.log));
  return router;
}

function guide(slug: string, origin: string): string {
  const html = findGuide(slug)?.rendered.html ?? "";
  // The guides' pages have links to their headings.
  return html.replaceAll(EXAMPLE_ORIGIN, origin).replace(/<a class="anchor"[^<>]*>#<\/a>/g, "");
}

const headers = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ["'none'"],
    },
  },
  // `no-referrer` would make browsers send `Origin: null` with forms.
  referrerPolicy: { policy: "same-origin" },
  // `listen` sends it with every answer.
  strictTransportSecurity: false,
  xPoweredBy: false,
});

/** Answers a request for a page: finds the session, checks the access, reads the form and calls the page's handler. */
async function answerPage(deps: PageDeps, page: PageRoute, { req, res, limits }: Answering): Promise<void> {
  const { id = "", environment = "sandbox" } = req.params;
  if (!isEnvironment(environment)) throw unknownRoute();
  Object.assign(res.locals, { page, environment });
  const visit: Visit = {
    environment,
    id,
    query: readQuery(req.url, getQueryFields(page)),
    url: req.url,
    cookies: req.headers.cookie,
    source: getClientAddress(req, deps.trustedProxies),
    userAgent: req.headers["user-agent"] ?? "",
    // A form counts as opened by a person whatever its headers say, because only our own pages can submit one (`isOwnForm`).
    openedByPerson: page.method === "POST" || isOpenedByPerson(req),
    requestId: res.locals.requestId,
  };
  const send = (answer: PageAnswer) => sendPageAnswer(req, res, withDone(deps, page, { visit, res, answer }));
  const checkAccess = async () => {
    const isPolled = page.method === "GET" && page.polled === true;
    const session = await findSession(deps, visit.cookies, visit.source, { extends: !isPolled });
    res.locals.session = session;
    return { session, refusal: refuseAccess(deps, page, { req, visit, session }) };
  };

  const before = await checkAccess();
  if (before.session) await limits.countMember(before.session.memberId, res);
  if (before.refusal) return send(before.refusal);
  const changesAccount = page.method === "POST" && page.access !== "anyone";
  if (changesAccount && before.session) await limitForms(deps, before.session);
  const fields = page.method === "POST" ? page.form : undefined;
  const form = fields ? parseForm(await readFormText(req, res), fields) : new Map();
  // A form may take 30 s to arrive. Its sender may have been removed in the meantime.
  const { session, refusal } = changesAccount ? await checkAccess() : before;
  if (refusal) return send(refusal);

  const request = { ...visit, form, deadline: performance.now() + ANSWER_MS };
  if (page.access === "anyone") return send(await page.handler(deps, { ...request, session }));
  if (!session) throw new Error("A member's page was reached without a session.");
  if (changesAccount && !isFormFor(session, visit.query)) return send(otherAccountPage(session));
  const actor = { name: session.email, source: visit.source };
  const closed = new AbortController();
  res.once("close", () => closed.abort());
  // A heavy page has a place while its handler works, and none while it waits for its client.
  const inPlace = <Result>(work: () => Promise<Result>, deadline?: number): Promise<Result> => {
    if (!isHeavy(page)) return work();
    return limits.makeHeavy({ accountId: session.accountId, deadline, signal: closed.signal }, work);
  };
  // The gateway refuses changes of an account whose suspension has not arrived here yet.
  const nameSuspension = async (error: unknown): Promise<PageAnswer> => {
    if (!changesAccount || failureIn(error)?.code !== "not_found") throw error;
    await deps.catchUp();
    const now = await checkAccess();
    if (!now.refusal) throw error;
    return now.refusal;
  };
  const download = await inPlace(async () => {
    const answer = await page.handler(deps, { ...request, session, actor }).catch(nameSuspension);
    return "rest" in answer ? answer : send(answer);
  });
  if (!download) return;
  const next = async (endsAt: number) => {
    const now = await checkAccess();
    if (now.refusal || now.session?.role !== session.role) throw fail("unauthorized");
    return inPlace(() => download.rest.next(), endsAt);
  };
  await sendDownload(res, download, next);
}

/** The answer with what a form has changed: a redirect takes it along as a cookie, and the next page shows it, once. */
function withDone(
  deps: PageDeps,
  { method }: PageRoute,
  { visit, res, answer }: { visit: Visit; res: PageResponse; answer: PageAnswer },
): PageAnswer {
  const { cookies = [] } = answer;
  if ("location" in answer) {
    const { done } = answer;
    return done ? { ...answer, cookies: [...cookies, setCookie("done", done, deps.origin())] } : answer;
  }
  const done = readCookie(visit.cookies, "done", deps.origin());
  if (method === "POST" || "content" in answer || done === undefined) return answer;
  if (isDone(done)) res.locals.done = done;
  return { ...answer, cookies: [...cookies, setCookie("done", undefined, deps.origin())] };
}

/** The page to show instead if the request may not see or do this, or undefined. */
function refuseAccess(
  deps: PageDeps,
  page: PageRoute,
  { req, visit, session }: { req: IncomingMessage; visit: Visit; session: SignedIn | undefined },
): HtmlPage | undefined {
  if (page.method === "POST" && !isOwnForm(req, deps.origin())) {
    return forbidden("This form was not submitted from the developer area. Reload the page and submit the form again.");
  }
  if (page.access === "anyone") return undefined;
  if (!session) return showSignedOut(deps);
  // A viewer may submit only forms that leave the account as it is: they end the viewer's own sessions.
  if (session.suspended && page.access === "admin") return suspendedPage();
  if (page.access === "admin" && session.role !== "admin") {
    return forbidden("You are a viewer of this account, so you have read-only access.");
  }
  if (needsRecentSignIn(page, visit.environment) && !session.fresh) {
    return showSignInAgain(deps, { url: visit.url, email: session.email });
  }
  return undefined;
}

function isEnvironment(word: string): word is Environment {
  return word === "sandbox" || word === "live";
}

/**
 * True if a person opened the page, as far as the browser says: it is not embedded in another page, and another site's page did not
 * request it. A client without these headers counts as a person.
 */
export function isOpenedByPerson({ headersDistinct }: Pick<IncomingMessage, "headersDistinct">): boolean {
  const [target = "document"] = headersDistinct["sec-fetch-dest"] ?? [];
  const [site = "none"] = headersDistinct["sec-fetch-site"] ?? [];
  return target === "document" && (site === "none" || site === "same-origin");
}
