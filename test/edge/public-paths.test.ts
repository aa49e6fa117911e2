import { guides } from "@shipping/api/guides";
import { BASE_PATH, pathWith } from "@shipping/api/operations/operation";
import { operations as apiOperations } from "@shipping/api/operations/operations";
import { runs } from "@shipping/kit/testing/runs";
import { AREA_PATH } from "@shipping/portal/page/page";
import { pages } from "@shipping/portal/pages";
import { type Stack, startStack } from "../platform/stack.js";
import { exchange, headOf } from "./wire.js";

let stack: Stack;
let port: number;
beforeAll(async () => {
  stack = await startStack({ logs: true });
  port = Number(new URL(stack.baseUrl).port);
  // Documents are rendered for the first request, which may take longer on a busy machine than the tests wait for an answer.
  await fetch(`http://127.0.0.1:${port}/docs`);
});
afterAll(() => stack.stop());

async function send(method: string, path: string, headers: Record<string, string>) {
  const [answer] = await exchange(port, headOf(method, path, { headers }));
  if (!answer) throw new Error(`No answer to ${method} ${path}.`);
  return answer;
}

const get = (path: string, headers = {}) => send("GET", path, headers);

/** The documents that are public. */
const documents = [
  `${BASE_PATH}/openapi.json`,
  `${BASE_PATH}/postman.json`,
  ...["/favicon.ico", "/favicon.svg", "/style.css"],
  "/docs",
  "/docs/search?q=retry",
  ...["reference", "reference/createLabel"].map((at) => `/docs/${at}`),
  ...["style.css", "reference.css", "try-it.js"].map((at) => `/docs/${at}`),
  ...guides.map(({ slug }) => `/docs/${slug}`),
  ...["style.css", "script.js", "clear.gif"].map((at) => `${AREA_PATH}/${at}`),
];

const area = pages.map(({ method, path }) => ({
  method,
  path: AREA_PATH + path.replace("{environment}", "sandbox").replace(/\{\w+\}/, "x"),
}));
const operations = apiOperations.map((route) => ({ method: route.method, path: BASE_PATH + pathWith(route, "x") }));
const others = ["/", "/nothing", "/docs/nothing", `${AREA_PATH}/nothing`, BASE_PATH].map((path) => ({
  method: "GET",
  path,
}));

/** Every path that is reachable without a key. */
const everything = [...documents.map((path) => ({ method: "GET", path })), ...area, ...operations, ...others];

const OLD = "Thu, 01 Jan 1970 00:00:00 GMT";
const NEW = "Fri, 01 Jan 2100 00:00:00 GMT";

/** The request headers of RFC 9110 that servers read, with valid and with meaningless values. */
const HEADERS: Record<string, readonly string[]> = {
  Accept: ["text/html", "*/*;q=2", "nonsense", ";;"],
  "Accept-Encoding": ["gzip", "br;q=0, *;q=0", "identity;q=0", ",,"],
  "Accept-Language": ["de", "*;q=-1"],
  Authorization: ["Basic eDp5", "Bearer", "Bearer x", "x"],
  Connection: ["upgrade, close", "x, close"],
  "Content-Encoding": ["gzip", "x"],
  "Content-Type": ["text/plain", ";", "a/b; c"],
  Expect: ["100-continue", "200-ok"],
  "If-Match": ['"x"', "*", "x", 'W/"x"', ""],
  "If-Modified-Since": [OLD, NEW, "x"],
  "If-None-Match": ['"x"', "*", "x", '"'],
  "If-Range": ['"x"', OLD, "x"],
  "If-Unmodified-Since": [OLD, NEW, "x"],
  Origin: ["null", "x"],
  Range: [
    "bytes=99999999-",
    "bytes=0-0",
    "bytes=-1",
    "bytes=5-1",
    "bytes=0-0,-1",
    "x=1-2",
    "x",
    `bytes=${"9".repeat(400)}-`,
  ],
  TE: ["trailers", "x;q=9"],
  Upgrade: ["websocket", "h2c"],
  "User-Agent": ["\u00ff"],
};

/** One header after the other, and some that only matter together. */
const sets: Record<string, string>[] = [
  {},
  ...Object.entries(HEADERS).flatMap(([name, values]) => values.map((value) => ({ [name]: value }))),
  { Range: "bytes=99999999-", "If-Range": OLD },
  { Range: "bytes=99999999-", "If-Match": "*" },
  { "If-None-Match": "*", "If-Modified-Since": "x", Cookie: "developers-session=x; ;=;" },
];

// Each path gets a tenth of them by default, so that every kind of path gets all of them; TEST_RUNS sends more.
const FRACTION = Math.max(1, Math.round(10 / runs(1)));
const numbered = everything.map((one, index) => ({ ...one, index }));

test.each(numbered)("$method $path: no header makes anything of it go wrong", async ({ method, path, index }) => {
  const sent = sets.filter((_, at) => (at + index) % FRACTION === 0);
  const answers = await Promise.all(sent.map((headers) => send(method, path, headers)));
  const wrong = answers.flatMap(({ status, headers }, index) =>
    status < 500 && headers["x-content-type-options"] === "nosniff" && headers["x-request-id"]?.startsWith("req_")
      ? []
      : [{ sent: sent[index], status, headers }],
  );
  expect(wrong).toEqual([]);
});

test("none of these requests is an error in the log", () => {
  expect(stack.logged()).toContain('"level":"');
  expect(stack.logged().match(/^.*"level":"error".*$/gm)).toBeNull();
});

describe("POST requests without a session", () => {
  const origin = () => ({ Origin: new URL(stack.baseUrl).origin, "Content-Type": "text/plain" });

  test.each(["sign-out", "sign-in/x"])("to /developers/%s is not read: it takes no form", async (path) => {
    const announced = await send("POST", `${AREA_PATH}/${path}`, { ...origin(), "Content-Length": "60000" });
    const none = await send("POST", `${AREA_PATH}/${path}`, { ...origin(), "Content-Length": "0" });
    expect(announced.status).toBe(none.status);
    expect([303, 404]).toContain(announced.status);
  });
});

// The conditions and ranges of a document are tested beside them, in `kit/src/http`.
test.each(documents)("%s names its state, and is not sent again while that is known", async (path) => {
  const { etag = "" } = (await get(path)).headers;
  const again = await get(path, { "If-None-Match": etag });
  expect([again.status, again.body, again.headers.etag]).toEqual([304, "", etag]);
});
