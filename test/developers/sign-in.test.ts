import { eventually } from "@shipping/kit/testing/eventually";
import { auditEntries } from "@shipping/portal/testing/stored-accounts";
import { ageSessions, expireLinks } from "@shipping/portal/testing/stored-sessions";
import { sendTo } from "../edge/wire.js";
import { useArea } from "./area.js";
import { actionOf, fieldsOf } from "./visitor.js";

const area = useArea({ logs: true });

const OVERVIEW = "/developers/sandbox";
const port = () => Number(new URL(area.origin()).port);

describe("a sign-in link", () => {
  test("opened by a scanner, GET or HEAD, is not spent", async () => {
    const { path, email } = await area.newLink();
    for (let times = 0; times < 3; times++) {
      const { status, html } = await area.visitor().get(path);
      expect([status, html.includes(email)]).toEqual([200, true]);
      expect((await sendTo(port(), "HEAD", "/developers/sign-in/link")).status).toBe(200);
    }
    expect(await area.visitor().submit(path)).toMatchObject({ status: 303, location: OVERVIEW });
  });

  test("used ten times at once signs in once", async () => {
    const { path } = await area.newLink();
    const answers = await Promise.all(Array.from({ length: 10 }, () => area.visitor().post(path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(9).fill(404)]);
    const again = area.visitor();
    expect([(await again.get(path)).status, (await again.post(path)).status, again.cookies()]).toEqual([404, 404, ""]);
  });

  test("after 15 minutes does not sign in, and reads like one that never was", async () => {
    const { path, email } = await area.newLink();
    await expireLinks(area.db(), email);
    const [late, unknown] = [
      await area.visitor().post(path),
      await area.visitor().post(`${path.slice(0, -8)}AAAAAAAA`),
    ];
    expect([late.status, late.html]).toEqual([404, unknown.html]);
  });

  test("pasted whole, signs in without a script", async () => {
    const { url } = await area.newLink();
    const visitor = area.visitor();
    const { html } = await visitor.post("/developers/sign-in/link", { link: ` ${url} ` });
    expect(await visitor.post("/developers/sign-in/link/confirm", fieldsOf(html))).toMatchObject({
      location: OVERVIEW,
    });
  });
});

describe("a session", () => {
  test("is named in the log by its account and member, and in the account's audit log by IP address and browser", async () => {
    const { path, accountId } = await area.newLink();
    const [page = "", token = ""] = path.split("#");
    const visitor = area.visitor();
    expect(actionOf((await visitor.get(path)).html, page)).not.toContain(token);
    const from = {
      headers: {
        "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0 service_live_secret0123456789abcdefghijklmn",
      },
    };
    expect((await visitor.post(path, {}, from)).status).toBe(303);
    await visitor.get(OVERVIEW);
    const rows = await auditEntries(area.db(), { accountId });
    expect(rows.map(({ action }) => action)).toEqual([
      "member.added",
      "member.sign_in_link_made_by_operator",
      "member.signed_in",
    ]);
    expect(rows[2]).toMatchObject({
      source: "127.0.0.1",
      detail: expect.stringMatching(/^by a link, Mozilla\/5\.0 .* Firefox\/140\.0 service_live_\[redacted\]/),
    });
    expect(rows[1]).toMatchObject({ actor: "operator", source: "command line" });
    await eventually(() => {
      const lines = area
        .stack()
        .logged()
        .split("\n")
        .filter((line) => line.includes(rows[2]!.subject));
      expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({
        route: "/developers/:environment",
        account: accountId,
        member: rows[2]!.subject,
      });
    });
    expect(area.stack().logged()).not.toContain(token.slice(-30));
  });

  test("its cookie is HttpOnly, SameSite=Lax, for every path, and on loopback without Secure", async () => {
    const { path } = await area.newLink();
    const { headers } = await area.visitor().post(path);
    expect(headers["set-cookie"]).toMatch(/^developers-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  test("gets a new ID: a cookie that the browser brought along does not sign in", async () => {
    const { path } = await area.newLink();
    const planted = `developers-session=${"A".repeat(43)}`;
    const { headers } = await area.visitor().post(path, {}, { cookie: planted });
    expect(headers["set-cookie"]).not.toContain(planted);
    expect((await area.visitor().get(OVERVIEW, { cookie: planted })).status).toBe(401);
  });

  test("ends for the old cookie when the same browser signs in again", async () => {
    const { visitor, accountId, email } = await area.signIn();
    const old = visitor.cookies();
    const { path } = await area.newLink({ accountId, email });
    expect((await visitor.submit(path)).status).toBe(303);
    expect(visitor.cookies()).not.toBe(old);
    expect((await area.visitor().get(OVERVIEW, { cookie: old })).status).toBe(401);
    expect((await visitor.get(OVERVIEW)).status).toBe(200);
  });

  test("a cookie that was sent twice does not sign in", async () => {
    const [one, other] = [await area.signIn(), await area.signIn()];
    const cookie = `${one.visitor.cookies()}; ${other.visitor.cookies()}`;
    expect((await area.visitor().get(OVERVIEW, { cookie })).status).toBe(401);
  });

  test.each([
    ["30 minutes without a request", { seen: 30 }],
    ["8 hours", { created: 8 * 60 }],
  ])("ends after %s", async (_case, age) => {
    const { visitor, email } = await area.signIn();
    expect((await visitor.get(OVERVIEW)).status).toBe(200);
    await ageSessions(area.db(), age, email);
    expect((await visitor.get(OVERVIEW)).status).toBe(401);
  });

  test("stays open while it is seen", async () => {
    const { visitor, email } = await area.signIn();
    for (let times = 0; times < 3; times++) {
      await ageSessions(area.db(), { seen: 20 }, email);
      expect((await visitor.get(OVERVIEW)).status).toBe(200);
    }
  });

  test("does not authenticate to the API: 401", async () => {
    const { visitor } = await area.signIn();
    const answer = await visitor.get("/api/v1/account");
    expect([answer.status, JSON.parse(answer.html).error.code]).toEqual([401, "unauthorized"]);
  });
});

describe("forged forms change nothing: 403", () => {
  const signOutWith = async (headers: Record<string, string>) =>
    (await sendTo(port(), "POST", "/developers/sign-out", { headers: { ...headers, "Content-Length": "0" } })).status;

  test.each<[string, Record<string, string> | undefined]>([
    ["cross-site", { "sec-fetch-site": "cross-site" }],
    ["same-site, another port", { "sec-fetch-site": "same-site" }],
    ["by hand", { "sec-fetch-site": "none" }],
    ["Origin: null", { origin: "null" }],
    ["another Origin", { origin: "https://evil.example" }],
    ["another port's Origin", { origin: "http://127.0.0.1:1" }],
    ["neither header", {}],
  ])("%s", async (_case, told = {}) => {
    const { visitor } = await area.signIn();
    const headers = { Cookie: visitor.cookies(), "Content-Type": "application/x-www-form-urlencoded", ...told };
    expect(await signOutWith(headers)).toBe(403);
    expect((await visitor.get(OVERVIEW)).status).toBe(200);
  });

  test("a browser without Sec-Fetch-Site is known by its Origin", async () => {
    const { visitor } = await area.signIn();
    const headers = {
      Cookie: visitor.cookies(),
      "Content-Type": "application/x-www-form-urlencoded",
      Origin: area.origin(),
    };
    expect(await signOutWith(headers)).toBe(303);
  });

  test("the Host header and X-Forwarded-Host are ignored", async () => {
    const { visitor } = await area.signIn();
    const lies = { Host: "evil.example", "X-Forwarded-Host": "evil.example", Cookie: visitor.cookies() };
    const entrance = await sendTo(port(), "GET", "/developers?return_to=//evil.example", { headers: lies });
    expect([entrance.status, entrance.headers.get("location")]).toEqual([303, "/developers/sandbox"]);
    const page = await sendTo(port(), "GET", OVERVIEW, { headers: lies });
    expect([page.status, page.bytes.includes("evil")]).toEqual([200, false]);
    const forged = { ...lies, Origin: "http://evil.example", "Content-Type": "application/x-www-form-urlencoded" };
    expect(await signOutWith(forged)).toBe(403);
  });
});
