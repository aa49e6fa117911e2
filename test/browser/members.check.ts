import type { Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { useMailbox } from "../developers/mailbox.js";
import { newEmail } from "../developers/member-list.js";
import { useBrowser } from "./browser.js";
import { faultsOf } from "./look.js";
import { openLink, signInWithLink } from "./sign-in.js";

const mailbox = useMailbox();
const area = useArea({ mail: mailbox.route });
const silent = useArea();
const browser = useBrowser();

const press = (page: Page, name: string) => page.getByRole("button", { name }).click();
const follow = (page: Page, name: string | RegExp) => page.getByRole("link", { name }).first().click();

test.each([true, false])(
  "with the script %p, a page that needs a new sign-in is reached through the link",
  async (javaScriptEnabled) => {
    const link = await area.newLink();
    const context = await browser.open({ javaScriptEnabled });
    const page = await signInWithLink(context, link);
    await area.ageSignIn(link.email);
    await page.goto(`${area.origin()}/developers/live/keys/new`);
    expect(await page.getByLabel("Email address").inputValue()).toBe(link.email);
    await press(page, "Email me a link");
    const [path = ""] = await mailbox.linksTo(link.email);
    await openLink(page, area.origin() + path);
    await press(page, "Sign in");
    await page.getByRole("heading", { name: "Create a live key" }).waitFor();
  },
);

describe("every step is accessible, fits its window, and is within the keyboard's reach", () => {
  const nothingWrong = async (page: Page, name: string) => expect(await faultsOf(page, name)).toEqual([]);

  test("the way in by mail", async () => {
    const page = await (await browser.open()).newPage();
    await page.goto(`${area.origin()}/developers`);
    await nothingWrong(page, "mail signed out");
    await page.goto(`${area.origin()}/developers/sign-in`);
    await page.getByLabel("Email address").fill("nobody");
    await press(page, "Email me a link");
    await nothingWrong(page, "mail no address");
    await page.getByLabel("Email address").fill(newEmail());
    await press(page, "Email me a link");
    await nothingWrong(page, "mail asked");
    await page.goto(`${area.origin()}/developers/sign-in/link#none`);
    await page.getByRole("heading", { name: "This link does not work" }).waitFor();
    await nothingWrong(page, "mail link that does not work");
    await page.goto(`${area.origin()}/developers/decline#none`);
    await page.getByRole("heading", { name: "Invitation not found" }).waitFor();
    await nothingWrong(page, "mail no invitation to decline");
    await page.goto(`${silent.origin()}/developers`);
    await nothingWrong(page, "mail none");
  });

  test("members", async () => {
    const link = await area.newLink();
    const page = await signInWithLink(await browser.open(), link);
    const go = (path: string) => page.goto(`${area.origin()}/developers/members${path}`);
    const long = `${"x".repeat(60)}@${"long-".repeat(20)}example.com`;
    await area.newLink({ accountId: link.accountId, role: "viewer" });
    await go("/invite");
    await nothingWrong(page, "members invite");
    await page.getByLabel("Email address").fill("nobody");
    await press(page, "Invite member");
    await nothingWrong(page, "members invite refused");
    await page.getByLabel("Email address").fill(long);
    await press(page, "Invite member");
    await nothingWrong(page, "members invited");
    const text = String((await mailbox.server().mailTo(long)).parsed.text);
    const invited = await (await browser.open()).newPage();
    await invited.goto(/http\S+\/decline#\S+/.exec(text)?.[0] ?? "");
    await invited.getByRole("button", { name: "Decline invitation" }).waitFor();
    await nothingWrong(invited, "members decline");
    await go("");
    await nothingWrong(page, "members list");
    await follow(page, /^Resend invitation to/);
    await nothingWrong(page, "members invite again");
    await go("");
    await follow(page, `Change role of ${link.email}`);
    await page.getByLabel("Role").selectOption("viewer");
    await press(page, "Change role");
    await nothingWrong(page, "members last admin");
    await go("");
    await follow(page, `Sessions of ${link.email}`);
    await nothingWrong(page, "members sessions");
    const other = await signInWithLink(await browser.open(), await area.newLink(link));
    await page.goto(`${area.origin()}/developers/sessions`);
    await nothingWrong(page, "members own sessions");
    await press(page, "End session");
    await other.reload();
    await other.getByLabel("Email address").waitFor();
    await go("");
    // The page itself: dialogs.check.ts is about the dialog that the script makes of it.
    const removal = page.getByRole("link", { name: `Remove ${long}` }).first();
    await page.goto(area.origin() + (await removal.getAttribute("href")));
    await nothingWrong(page, "members remove");
    await area.ageSignIn(link.email);
    await go("/invite");
    await nothingWrong(page, "members sign in again");
  });

  test("the link of an invitation, where no mail can be sent, which is wiped as the page is left", async () => {
    const page = await signInWithLink(await browser.open(), await silent.newLink());
    await page.goto(`${silent.origin()}/developers/members/invite`);
    await page.getByLabel("Email address").fill(newEmail());
    await press(page, "Invite member");
    const url = (await page.locator("#secret").textContent()) ?? "";
    expect(url).toMatch(/\/developers\/sign-in\/link#[\w-]{43}$/);
    await nothingWrong(page, "members link");
    await page.reload();
    expect(new URL(page.url()).pathname).toBe("/developers/members");
    expect(await page.content()).not.toContain(url);
  });
});
