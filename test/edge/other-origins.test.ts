import { files, guides } from "@shipping/api/guides";
import { BASE_PATH } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import { type Stack, sharedStack } from "../platform/stack.js";
import { ask, type Customer, goodRequest, newCustomer } from "./operations.js";
import { sendTo } from "./wire.js";

let stack: Stack;
let customer: Customer;
let port: number;
beforeAll(async () => {
  stack = await sharedStack();
  customer = await newCustomer(stack);
  port = Number(new URL(stack.baseUrl).port);
  // The documents are rendered for the first request.
  await fetch(`http://127.0.0.1:${port}/docs`);
});
afterAll(() => stack.stop());

const ALLOW = "access-control-allow-origin";
const headers = { Origin: "https://tool.example" };

const documents = [
  ...["openapi.json", "openapi-3.0.json", "postman.json"].map((name) => `${BASE_PATH}/${name}`),
  ...["/llms.txt", "/llms-full.txt", "/docs/reference.md", "/docs/reference/createLabel.md"],
  ...[...guides.map(({ slug }) => `${slug}.md`), ...files].map((name) => `/docs/${name}`),
];

test.each(documents)("scripts of other origins may read %s", async (path) => {
  const whole = await sendTo(port, "GET", path, { headers });
  expect([whole.status, whole.headers.get(ALLOW)]).toEqual([200, "*"]);
  const condition = { "If-None-Match": whole.headers.get("etag") ?? "" };
  const same = await sendTo(port, "GET", path, { headers: { ...headers, ...condition } });
  expect([same.status, same.headers.get(ALLOW)]).toEqual([304, "*"]);
});

test("and the Markdown of a page at the page's own URL, but no page, style or script", async () => {
  const accept = (type: string) => sendTo(port, "GET", "/docs/errors", { headers: { ...headers, Accept: type } });
  expect((await accept("text/markdown")).headers.get(ALLOW)).toBe("*");
  for (const path of ["/docs", "/docs/errors", "/docs/reference", "/style.css", "/code.js", "/developers"])
    expect([path, (await sendTo(port, "GET", path, { headers })).headers.get(ALLOW)]).toEqual([path, null]);
});

test("nothing of the API, whatever its answer", async () => {
  const preflight = { ...headers, "Access-Control-Request-Method": "GET" };
  for (const route of operations) {
    const asked = await goodRequest(customer, route);
    const target = BASE_PATH + asked.path;
    const answers = [
      await ask(customer, asked, { headers }),
      await sendTo(port, asked.method, target, { headers }),
      await sendTo(port, "OPTIONS", target, { headers: preflight }),
    ];
    const allowed = answers.flatMap((answer) =>
      [...answer.headers.keys()].filter((name) => name.startsWith("access-")),
    );
    expect([asked.path, allowed]).toEqual([asked.path, []]);
  }
});
