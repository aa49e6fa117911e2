import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { useBrowser } from "./browser.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea();
const browser = useBrowser();

/** Serves the `html` of its query. */
let stranger: Server;
beforeAll(async () => {
  stranger = createServer((req, res) => {
    const html = new URL(req.url ?? "", "http://localhost").searchParams.get("html");
    res.setHeader("Content-Type", "text/html").end(html);
  }).listen(0, "127.0.0.1");
  await once(stranger, "listening");
});
afterAll(() => stranger.close());

const pageOf = (host: string, html: string) =>
  `http://${host}:${(stranger.address() as AddressInfo).port}/?html=${encodeURIComponent(html)}`;

/** A form like ours, on a page of another site. */
const form = (path: string) => `<form method="post" action="${area.origin()}${path}">
  <input name="name" value="Forged"><input name="scopes" value="orders:write"><input name="expires" value="never">
  <input name="form_id" value="form_mfrggzdfmztwq2lknnwg23tpoa"><button>Win</button></form>`;

async function signedIn(): Promise<Page> {
  return signInWithLink(await browser.open(), await area.newLink());
}

describe.each([
  ["cross-site", "localhost", ""],
  ["same-site, another port", "127.0.0.1", ""],
  ["Origin: null", "127.0.0.1", `<meta name="referrer" content="no-referrer">`],
])("a form on a stranger's page, %s", (_case, host, head) => {
  test.each(["/developers/sandbox/keys/new", "/developers/sign-out"])(
    "%s: 403, and nothing is changed",
    async (path) => {
      const page = await signedIn();
      await page.goto(pageOf(host, head + form(path)));
      const answered = page.waitForResponse((response) => response.request().method() === "POST");
      await page.getByRole("button", { name: "Win" }).click();
      expect((await answered).status()).toBe(403);
      await page.goto(`${area.origin()}/developers/sandbox/keys`);
      await page.getByText("There are no sandbox keys yet").waitFor();
    },
  );
});

test("no stranger's page shows ours in a frame", async () => {
  const page = await signedIn();
  await page.goto(pageOf("127.0.0.1", `<iframe src="${area.origin()}/developers/sandbox"></iframe>`));
  const [, frame] = page.frames();
  expect(await frame?.content()).not.toContain("Nordlicht");
});

test("markup and direction marks in names and postal addresses are shown as text, on every page", async () => {
  const markup = `"><img/src=x/onerror="document.title='stolen'">`;
  const name = `${markup}\u202egpj.exe`;
  const accountId = await area.stack().newAccount(name);
  const { visitor } = await area.signIn({ accountId });
  const made = [
    await visitor.submit("/developers/sandbox/keys/new", { name }),
    await visitor.submit("/developers/sandbox/webhooks/new", { url: `https://shop.example.com/?${markup}` }),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201]);
  const list = await visitor.get("/developers/sandbox/webhooks");
  const subscription = `/sandbox/webhooks/${/whk_[a-z2-7]{26}/.exec(list.html)?.[0]}`;
  const page = await signInWithLink(await browser.open(), await area.newLink({ accountId }));
  for (const path of [
    "/sandbox",
    "/sandbox/keys",
    "/sandbox/webhooks",
    subscription,
    "/audit",
    "/members",
    "/quick-start",
  ]) {
    await page.goto(`${area.origin()}/developers${path}`);
    expect(await page.locator("img:not(.figure), [onerror]").count()).toBe(0);
    expect(await page.title()).toMatch(/ · Shipping Platform$/);
    const text = await page.locator("body").textContent();
    expect(text).toContain(`${markup}⟨U+202E⟩gpj.exe`);
    if (path === subscription) expect(text).toContain(`/?${markup}`);
  }
});
