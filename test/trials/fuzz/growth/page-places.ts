import { AREA_PATH, getQueryFields } from "@shipping/portal/page/page";
import { pages } from "@shipping/portal/pages";
import { type AppRoute, appRoutes } from "./app-routes.js";
import { asItIs, inForm, inHeader, inPath, inUrl, type Place, placesOf, type Sender, type Sent } from "./place.js";

/** A parameter in a pattern of Express: one segment, or all that follow. */
const PARAMETER = /[:*]\w+/;

const FORM = { "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" };

/** The places of all pages of the developer area, opened by a visitor with the required role: path, query and form, with every declared field. */
export function pagePlaces({ cookies, accountId, pathOf }: Sender): Place[] {
  return pages.flatMap((page) => {
    const form = page.method === "POST" ? page.form : undefined;
    const own = `${pathOf(page.path)}?account_id=${accountId}`;
    const send = (path: string, body = form && ""): Sent => ({
      method: page.method,
      path,
      headers: { cookie: cookies[page.access], ...(page.method === "POST" && FORM) },
      body,
    });
    const [before, after] = `${AREA_PATH}${page.path}`.replace("{environment}", "sandbox").split("{id}");
    const inQuery = (name: string) => [
      `query ${name}`,
      (text: string) => send(`${pathOf(page.path)}?${name}=${inUrl(text)}`),
    ];
    const inField = (name: string) => [`form ${name}`, (text: string) => send(own, `${name}=${inForm(text)}`)];
    return placesOf(`${page.method} ${AREA_PATH}${page.path.replace(/\{(\w+)\}/g, ":$1")}`, {
      ...(after !== undefined && { path: (text) => send(`${before}${inPath(text)}${after}`) }),
      "query, a name": (text) => send(`${own}&${inUrl(text)}=1`),
      ...Object.fromEntries(Object.keys(getQueryFields(page)).map(inQuery)),
      ...Object.fromEntries(Object.keys(form ?? {}).map(inField)),
      ...(form && { form: (text) => send(own, asItIs(text)) }),
    });
  });
}

/** The places of all documents: the documentation site, descriptions of the API, and files. */
export function documentPlaces(others: ReadonlySet<string>): Place[] {
  return appRoutes().flatMap(({ method, path }: AppRoute) => {
    const route = `${method} ${path}`;
    if (others.has(route)) return [];
    const send = (sentPath: string): Sent => ({ method, path: sentPath, headers: {} });
    return placesOf(route, {
      ...(PARAMETER.test(path) && { path: (text) => send(path.replace(PARAMETER, () => inPath(text))) }),
      query: (text) => send(`${path.replace(PARAMETER, "webhooks")}?${inUrl(text)}`),
    });
  });
}

/** The headers that the gateway reads, and those that a library reads before it. */
export const READ_HEADERS = [
  ...["accept", "accept-encoding", "authorization", "content-encoding", "content-type", "cookie", "expect", "host"],
  ...["idempotency-key", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "origin"],
  ...["range", "sec-fetch-dest", "sec-fetch-site", "traceparent", "user-agent"],
  ...["forwarded", "mcp-protocol-version", "x-forwarded-for", "x-real-ip"],
];

/** The headers of one request of each kind. They are read before the routes differ. */
export function headerPlaces({ key, cookies, pathOf }: Sender): Place[] {
  const authorization = `Bearer ${key}`;
  const kinds: Sent[] = [
    { method: "GET", path: "/api/v1/orders", headers: { authorization } },
    {
      method: "POST",
      path: "/api/v1/orders",
      headers: { authorization, "idempotency-key": "a", "content-type": "application/json" },
      body: "{}",
    },
    { method: "POST", path: "/mcp", headers: { authorization, "content-type": "application/json" }, body: "{}" },
    { method: "GET", path: "/docs/webhooks", headers: {} },
    { method: "GET", path: pathOf("/{environment}/orders"), headers: { cookie: cookies.viewer } },
    { method: "POST", path: "/developers/sign-in", headers: FORM, body: "email=a" },
  ];
  return kinds.flatMap((sent) =>
    placesOf(
      `${sent.method} ${sent.path}`,
      Object.fromEntries(
        READ_HEADERS.map((name) => [
          `header ${name}`,
          (text) => ({ ...sent, headers: { ...sent.headers, [name]: inHeader(text) } }),
        ]),
      ),
    ),
  );
}

/** The paths of the port for operators. */
export function opsPlaces(): Place[] {
  return ["/livez", "/readyz", "/metrics", "/"].flatMap((path) =>
    placesOf(`GET ${path} of operators`, {
      path: (text) => ({ method: "GET", path: `${path}${inPath(text)}`, headers: {} }),
      query: (text) => ({ method: "GET", path: `${path}?${inUrl(text)}`, headers: {} }),
    }),
  );
}
