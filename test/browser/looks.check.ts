import type { Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { useBrowser } from "./browser.js";
import { FEWER_WINDOWS, faultsOf } from "./look.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea();
const browser = useBrowser();

const LONG_NAME = "Lager Süd-West, Regal 12, ".repeat(8).slice(0, 200);
const LONG_WORD = "x".repeat(200);

/** An account with very many rows of everything. */
async function openCrowded(): Promise<Page> {
  const stack = area.stack();
  const accountId = await stack.newAccount(LONG_NAME);
  const { visitor } = await area.signIn({ accountId, email: `${"x".repeat(50)}@${"long-".repeat(10)}example.com` });
  for (let n = 0; n < 40; n++) {
    const name = [`Server ${n}`, LONG_NAME, LONG_WORD, `Worker ${n}`][n % 4];
    await visitor.submit("/developers/sandbox/keys/new", { name, expires: n % 3 ? "90d" : "never" });
  }
  for (const path of ["hooks", LONG_WORD]) {
    await visitor.submit("/developers/sandbox/webhooks/new", { url: `https://shop.example.com/${path}` });
  }
  const [live, sandbox] = [await stack.newKey(accountId, "live"), await stack.newKey(accountId)];
  await stack.newKey(accountId, "live");
  await Promise.all([live, sandbox].map(({ id }) => stack.revokeKey(id)));
  for (let n = 0; n < 15; n++) await stack.revokeKey((await stack.newKey(accountId)).id);
  for (let n = 0; n < 55; n++) await area.newLink({ accountId, role: "viewer" });
  return openAs({ accountId });
}

/** The page as a member of this account, or of an empty one, has it open. */
async function openAs(options: { accountId?: string; role?: "admin" | "viewer" } = {}): Promise<Page> {
  return signInWithLink(await browser.open(), await area.newLink(options));
}

/** The tables that grow with the account. */
const LISTS = [
  "/developers/sandbox",
  "/developers/sandbox/keys",
  "/developers/live/keys",
  "/developers/sandbox/webhooks",
  "/developers/members",
  "/developers/audit",
];

const PAGES = [
  ...LISTS,
  "/developers/live",
  "/developers/sandbox/keys/new",
  "/developers/live/keys/new",
  "/developers/live/webhooks",
  "/developers/sandbox/webhooks/new",
  "/developers/accounts",
  "/developers/sessions",
  "/developers/quick-start",
  "/developers/nothing",
];

describe.each([
  ["an empty account", () => openAs(), PAGES],
  ["an account with lists of several pages, and names of 200 characters", openCrowded, LISTS],
  ["what a viewer sees", () => openAs({ role: "viewer" }), ["/developers/live", "/developers/live/keys/new"]],
] as const)("%s is accessible, fits its window, and is within the keyboard's reach", (account, open, paths) => {
  let page: Page;
  beforeAll(async () => {
    page = await open();
  });

  test.each(paths)("%s", async (path) => {
    await page.goto(area.origin() + path);
    expect(await faultsOf(page, account + path, open === openCrowded ? undefined : FEWER_WINDOWS)).toEqual([]);
  });
});

describe("so is every step between the pages", () => {
  let page: Page;
  let email: string;
  let accountId: string;
  beforeEach(async () => {
    const link = await area.newLink();
    ({ email, accountId } = link);
    page = await signInWithLink(await browser.open(), link);
  });
  const open = (path: string) => page.goto(area.origin() + path);
  const press = (name: string) => page.getByRole("button", { name }).click();
  /** The page that the script shows in a dialog, which dialogs.check.ts is about. */
  const follow = async (name: RegExp) => open((await page.getByRole("link", { name }).getAttribute("href")) ?? "");
  const nothingWrong = async (name: string) => expect(await faultsOf(page, name, FEWER_WINDOWS)).toEqual([]);

  test("the way in", async () => {
    await press("Sign out");
    await page.getByRole("heading", { name: "Developer area" }).waitFor();
    await nothingWrong("signed out");
    const { url } = await area.newLink();
    await page.goto(url);
    await page.getByText("The link works once").waitFor();
    await nothingWrong("a sign-in link");
    await press("Sign in");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.goto(url);
    await page.getByRole("heading", { name: "This link does not work" }).waitFor();
    await nothingWrong("a link that was used");
    await open("/developers/sign-in/link");
    await nothingWrong("a link to paste");
  });

  test("a key, from the form that was refused to the question before its end", async () => {
    await open("/developers/live/keys/new");
    await page.getByLabel("Name", { exact: true }).fill(" ");
    await press("Create key");
    await nothingWrong("a refused key");
    await page.getByLabel("Name", { exact: true }).fill(LONG_NAME);
    await press("Create key");
    await nothingWrong("a new key");
    await page.getByRole("link", { name: "All keys" }).click();
    await follow(/^Revoke/);
    await nothingWrong("the end of a key");
  });

  test("a key too many, and the second page of the list", async () => {
    for (let n = 0; n < 60; n++) {
      const { id } = await area.stack().newKey(accountId);
      if (n % 6 === 0) await area.stack().revokeKey(id);
    }
    await open("/developers/sandbox/keys/new");
    await press("Create key");
    await nothingWrong("a key too many");
    await open("/developers/sandbox/keys");
    await page.getByRole("link", { name: "Next page" }).click();
    await nothingWrong("the second page of keys");
  });

  test("a subscription, likewise", async () => {
    await open("/developers/sandbox/webhooks/new");
    await page.getByLabel("Endpoint URL").fill("ftp://shop.example.com");
    await press("Create subscription");
    await nothingWrong("a refused subscription");
    await page.getByLabel("Endpoint URL").fill(`https://shop.example.com/${LONG_WORD}`);
    await press("Create subscription");
    await nothingWrong("a new subscription");
    await page.getByRole("link", { name: "All subscriptions" }).click();
    await follow(/^Disable/);
    await nothingWrong("the end of a subscription");
  });

  test("pages that need a new sign-in", async () => {
    await area.ageSignIn(email);
    await open("/developers/live/keys/new");
    await nothingWrong("sign in again");
  });
});
