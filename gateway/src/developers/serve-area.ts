import type { IncomingMessage } from "node:http";
import type { Environment } from "@shipping/kit/caller";
import { type RequestHandler, Router } from "express";
import helmet from "helmet";
import type { ApiDeps } from "../api/deps.js";
import { ANSWER_MS } from "../api/locals.js";
import { getClientAddress } from "../http/http-rules.js";
import { unknownRoute } from "../http/send-answer.js";
import { sendPageAnswer, sendRefusal } from "./page/answer.js";
import { serveAssets } from "./page/assets.js";
import { isShownFor } from "./page/form.js";
import {
  AREA_PATH,
  type HtmlPage,
  type PageDeps,
  type PageLocals,
  type PageRoute,
  takesForm,
  takesFreshSignIn,
  type VisitorRequest,
} from "./page/page.js";
import { isOwnForm, readForm } from "./page/read-form.js";
import { forbidden, otherAccountPage, suspendedPage } from "./page/refusal-page.js";
import { pages } from "./pages.js";
import { createProvider } from "./session/provider.js";
import { findSession, limitForms, type SignedIn } from "./session/session.js";
import type { DeveloperArea, DeveloperDeps } from "./session/settings.js";
import { showSignedOut, showSignInAgain } from "./sign-in/sign-in.js";

type PageStep = RequestHandler<Record<string, string>, unknown, unknown, unknown, PageLocals>;

type Where = Pick<VisitorRequest, "environment" | "url">;

/** The developer area: a router of its own, whose refusals are pages. */
export function serveArea(deps: ApiDeps & DeveloperDeps, area: DeveloperArea): Router {
  const origin = () => area.publicUrl ?? deps.ownOrigin();
  const callback = () => `${origin()}${AREA_PATH}/sign-in/callback`;
  const provider = area.provider && createProvider(area.provider, callback, deps.log);
  const pageDeps: PageDeps = { ...deps, area, origin, provider };
  const router = Router({ caseSensitive: true, strict: true });
  serveAssets(router);
  router.use(AREA_PATH, headers(area));
  for (const page of pages) {
    const method = page.method.toLowerCase() as "get" | "post";
    router[method](AREA_PATH + page.path.replace(/\{(\w+)\}/g, ":$1"), answerPage(pageDeps, page));
  }
  router.use(AREA_PATH, () => {
    throw unknownRoute();
  });
  router.use(sendRefusal(deps.log));
  return router;
}

function headers({ publicUrl }: DeveloperArea): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ["'none'"],
      },
    },
    // Without a referrer at all, forms would say `Origin: null`.
    referrerPolicy: { policy: "same-origin" },
    strictTransportSecurity: publicUrl?.startsWith("https:") ?? false,
    xPoweredBy: false,
  });
}

/** The steps that every page takes, from top to bottom; the first that refuses ends it. */
function answerPage(deps: PageDeps, page: PageRoute): PageStep {
  return async (req, res) => {
    const { id = "", token = id, environment = "sandbox" } = req.params;
    if (!isEnvironment(environment)) throw unknownRoute();
    Object.assign(res.locals, { page, environment });
    const asked: Omit<VisitorRequest, "form" | "deadline"> = {
      environment,
      id: token,
      query: new URL(req.url, deps.origin()).searchParams,
      url: req.url,
      cookies: req.headers.cookie,
      source: getClientAddress(req, deps.trustedProxies),
      deliberate: isDeliberate(req),
      requestId: res.locals.requestId,
    };
    const admit = async () => {
      const session = await findSession(deps, asked.cookies);
      res.locals.session = session;
      return { session, refusal: refusalOf(deps, page, { req, session, asked }) };
    };
    const first = await admit();
    if (first.refusal) return await sendPageAnswer(req, res, first.refusal);
    const changesAccount = page.method === "POST" && page.access !== "anyone";
    if (changesAccount && first.session) await limitForms(deps, first.session);
    const form = takesForm(page) ? await readForm(req, res) : new Map();
    // A form may take 30 s to come, in which its sender may have been removed.
    const { session, refusal } = changesAccount ? await admit() : first;
    if (refusal) return await sendPageAnswer(req, res, refusal);
    const complete = { ...asked, form, deadline: performance.now() + ANSWER_MS };
    if (page.access === "anyone")
      return await sendPageAnswer(req, res, await page.handler(deps, { ...complete, session }));
    if (!session) throw new Error("A page of an account was reached without one.");
    if (changesAccount && !isShownFor(asked.query, session))
      return await sendPageAnswer(req, res, otherAccountPage(session));
    const actor = { name: session.email, source: asked.source };
    await sendPageAnswer(req, res, await page.handler(deps, { ...complete, session, actor }));
  };
}

/** What is shown instead of a page that may not be seen, or undefined. */
function refusalOf(
  deps: PageDeps,
  page: PageRoute,
  { req, session, asked }: { req: IncomingMessage; session: SignedIn | undefined; asked: Where },
): HtmlPage | undefined {
  if (page.method === "POST" && !isOwnForm(req, deps.origin())) {
    return forbidden("This form was not submitted from the developer area. Reload the page and submit the form again.");
  }
  if (page.access === "anyone") return undefined;
  if (!session) return showSignedOut(deps);
  if (session.suspended && (page.method === "POST" || page.access === "admin")) return suspendedPage();
  if (page.access === "admin" && session.role !== "admin") {
    return forbidden("You are a viewer of this account. You can see everything but change nothing.");
  }
  return takesFreshSignIn(page, asked.environment) && !session.fresh
    ? showSignInAgain(deps, { url: asked.url, email: session.email })
    : undefined;
}

function isEnvironment(word: string): word is Environment {
  return word === "sandbox" || word === "live";
}

/**
 * Whether a person opened a page: it is not embedded in another page, and was not sent by another site's page, as far as the browser says.
 * A client that sends neither header counts as a person.
 */
export function isDeliberate({ headersDistinct }: Pick<IncomingMessage, "headersDistinct">): boolean {
  const [target = "document"] = headersDistinct["sec-fetch-dest"] ?? [];
  const [site = "none"] = headersDistinct["sec-fetch-site"] ?? [];
  return target === "document" && (site === "none" || site === "same-origin");
}
