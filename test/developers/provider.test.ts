import { eventually } from "@shipping/kit/testing/eventually";
import { auditEntries } from "@shipping/portal/testing/stored-accounts";
import { moveMembers } from "@shipping/portal/testing/stored-members";
import { clearLimits, fillMailCount } from "@shipping/portal/testing/stored-sessions";
import { useArea } from "./area.js";
import { AGAIN, journeysOf, LEAVE, newEmail, useProvider } from "./provider.js";
import type { PageAnswer } from "./visitor.js";

const provider = useProvider();
const area = useArea({ developerArea: { provider }, logs: true });

// A port without a listener.
const nobody = { ...provider, issuer: "http://127.0.0.1:1" };
const areaWithoutProvider = useArea({ developerArea: { provider: nobody }, logs: true });

const { newMember, newPerson, beginSignIn, through, signIn } = journeysOf(area, provider);

describe("sign-in through the provider", () => {
  test("signs a member in by the verified email, and from then on by who they are there", async () => {
    const member = await newMember();
    expect(await signIn(member)).toMatchObject({ status: 303, location: "/developers/sandbox" });
    expect((await member.here.get("/developers/members")).html).toContain("Linked");
    await moveMembers(area.db(), { email: member.email }, newEmail());
    expect((await signIn({ ...member, here: area.visitor() })).status).toBe(303);
  });

  test("is in the audit log as such, and ends the session that the browser had", async () => {
    const member = await newMember();
    await signIn(member);
    const cookie = member.here.cookies();
    await signIn(member);
    expect((await area.visitor().get("/developers/sandbox", { cookie })).status).toBe(401);
    expect((await member.here.get("/developers/sandbox")).status).toBe(200);
    const { accountId } = member;
    expect(await auditEntries(area.db(), { accountId, action: "member.signed_in" })).toMatchObject(
      Array(2).fill({ detail: expect.stringMatching(/^through the provider, /) }),
    );
  });

  test("the way there names our callback, PKCE, state and nonce, and is not asked by a form", async () => {
    const url = new URL(await beginSignIn(area.visitor()));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      redirect_uri: `${area.origin()}/developers/sign-in/callback`,
      response_type: "code",
      scope: "openid email",
      code_challenge_method: "S256",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect((await area.visitor().get("/developers")).html).toContain(`href="${LEAVE}"`);
  });

  test("a stranger and an email that is not verified get the same answer, byte for byte", async () => {
    const unverified = await newMember({ email: newEmail("unverified.example") });
    const stranger = newPerson();
    const answers = [await signIn(unverified), await signIn(stranger)];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(answers[0]?.html).toBe(answers[1]?.html);
    expect(unverified.here.cookies() + stranger.here.cookies()).toBe("");
  });
});

describe("is refused and does not sign in", () => {
  const swapped = (callback: string, name: string, value: string) => {
    const url = new URL(callback, area.origin());
    url.searchParams.set(name, value);
    return url.pathname + url.search;
  };

  test.each([
    ["another state", (callback: string) => swapped(callback, "state", "A".repeat(43))],
    ["another iss", (callback: string) => swapped(callback, "iss", "http://127.0.0.1:1")],
    ["another code", (callback: string) => swapped(callback, "code", "A".repeat(43))],
    ["a refusal of the provider", (callback: string) => swapped(callback, "error", "access_denied")],
  ])("%s", async (_case, change) => {
    const member = await newMember();
    const callback = await through(member.there, await beginSignIn(member.here), member.email);
    expect((await member.here.get(change(callback))).status).toBe(403);
    expect(member.here.cookies()).toBe("");
  });

  test("another nonce", async () => {
    const member = await newMember();
    const callback = await through(member.there, await beginSignIn(member.here), member.email);
    const [name = "", value = ""] = member.here.cookies().split("=");
    const authorization = JSON.parse(Buffer.from(value, "base64url").toString());
    const forged = Buffer.from(JSON.stringify({ ...authorization, nonce: "A".repeat(43) })).toString("base64url");
    expect((await area.visitor().get(callback, { cookie: `${name}=${forged}` })).status).toBe(403);
  });

  test.each(["altered", "other-key", "unsigned", "expired"])("a token that is not valid: %s", async (how) => {
    const member = await newMember({ email: newEmail(`${how}.example`) });
    expect((await signIn(member)).status).toBe(403);
    expect(member.here.cookies()).toBe("");
  });

  test("a callback in a browser that never left", async () => {
    const member = await newMember();
    const callback = await through(member.there, await beginSignIn(member.here), member.email);
    expect((await area.visitor().get(callback)).status).toBe(403);
  });

  test("a code replayed", async () => {
    const member = await newMember();
    const callback = await through(member.there, await beginSignIn(member.here), member.email);
    const authorization = member.here.cookies();
    expect((await member.here.get(callback)).status).toBe(303);
    expect((await area.visitor().get(callback, { cookie: authorization })).status).toBe(403);
  });

  test("a way back to anywhere else", async () => {
    const member = await newMember();
    await signIn(member);
    const answer = await signIn(member, `${LEAVE}?return_to=${encodeURIComponent("//evil.example")}`);
    expect(answer).toMatchObject({ status: 303, location: "/developers/sandbox" });
  });
});

test.each(["behind", "ahead"])("a provider whose clock is five minutes %s signs members in", async (how) => {
  const member = await newMember({ email: newEmail(`${how}.example`) });
  expect(await signIn(member)).toMatchObject({ status: 303, location: "/developers/sandbox" });
});

describe("a new sign-in for live keys", () => {
  test("is asked for, with prompt=login and max_age=0, and comes back to the page", async () => {
    const member = await newMember();
    await signIn(member);
    await area.ageSignIn(member.email);
    const refused = await member.here.get("/developers/live/keys/new");
    expect([refused.status, refused.html.includes(`href="${AGAIN}"`)]).toEqual([403, true]);
    const url = new URL(await beginSignIn(member.here, AGAIN));
    expect([url.searchParams.get("prompt"), url.searchParams.get("max_age")]).toEqual(["login", "0"]);
    const back = await member.here.get(await through(member.there, url.href, member.email));
    expect(back).toMatchObject({ status: 303, location: "/developers/live/keys/new" });
    expect((await member.here.get("/developers/live/keys/new")).status).toBe(200);
  });

  test("is not taken from a browser that stripped what asks for it", async () => {
    const member = await newMember();
    await signIn(member);
    await area.ageSignIn(member.email);
    const url = new URL(await beginSignIn(member.here, AGAIN));
    for (const name of ["prompt", "max_age"]) url.searchParams.delete(name);
    const back = await member.here.get(await through(member.there, url.href, member.email));
    expect(back.status).toBe(403);
    expect((await member.here.get("/developers/live/keys/new")).status).toBe(403);
  });
});

test("a provider that is down: 503 for its sign-in, and no other effect", async () => {
  const { visitor } = await areaWithoutProvider.signIn();
  const answer = await areaWithoutProvider.visitor().get(LEAVE);
  expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
  await eventually(() =>
    expect(areaWithoutProvider.stack().logged()).toMatch(/"status":503.*"cause":"sign_in_provider"/),
  );
  expect((await visitor.get("/developers/sandbox")).status).toBe(200);
});

test("signed out, the way to a page leads to the overview, which says whose it is", async () => {
  const person = await newMember();
  const url = new URL(await beginSignIn(person.here, AGAIN));
  expect(url.searchParams.get("prompt")).toBeNull();
  expect(await signIn(person, AGAIN)).toMatchObject({ status: 303, location: "/developers/sandbox" });
  expect(await beginSignIn(area.visitor(), LEAVE)).toContain(provider.issuer);
});

const MADE_UP = `/developers/sign-in/link#${"A".repeat(43)}`;
const CALLBACK = "/developers/sign-in/callback?code=a&state=b";

const times = (count: number, run: () => Promise<PageAnswer>) => Promise.all(Array.from({ length: count }, run));
const statusesOf = (answers: PageAnswer[]) => [...new Set(answers.map(({ status }) => status))];

describe("after a hundred refused attempts from an IP address", () => {
  area.testLimit("one that is made up is 429, whichever way it is; a valid link is shown, and signs in", async () => {
    const [looked, opened] = [await area.newLink(), await area.newLink()];
    const stranger = area.visitor();
    expect(statusesOf(await times(60, () => stranger.get(MADE_UP)))).toEqual([404]);
    expect(statusesOf(await times(40, () => stranger.post(MADE_UP)))).toEqual([404]);
    const over = [await stranger.get(MADE_UP), await stranger.post(MADE_UP), await stranger.get(CALLBACK)];
    expect(over.map(({ status, headers }) => [status, headers["retry-after"]])).toEqual(Array(3).fill([429, "600"]));
    expect(over[0]?.html).toContain("Too many sign-in attempts from your IP address. Try again in 10 minutes.");

    expect((await area.visitor().get(looked.path)).html).toContain(looked.email);
    expect((await area.visitor().post(opened.path)).status).toBe(303);
    expect((await area.visitor().post(opened.path)).status).toBe(429);
  });

  area.testLimit("a valid callback signs in", async () => {
    expect(statusesOf(await times(100, () => area.visitor().get(CALLBACK)))).toEqual([403]);
    expect((await area.visitor().get(CALLBACK)).status).toBe(429);
    expect(await signIn(await newMember())).toMatchObject({ status: 303, location: "/developers/sandbox" });
  });
});

area.testLimit(
  "from a client's 301st callback on, the provider is asked nothing: 429; the code works later",
  async () => {
    const member = await newMember();
    const callback = await through(member.there, await beginSignIn(member.here), member.email);
    const madeUp = callback.replace(/code=[^&]*/, "code=made-up");
    const cookie = member.here.cookies();
    expect((await area.visitor().get(madeUp, { cookie })).status).toBe(403);
    await fillMailCount(area.db(), "source:provider:127.0.0.1", 300);
    for (const path of [madeUp, callback]) {
      const { status, headers } = await member.here.get(path);
      expect([status, headers["retry-after"]]).toEqual([429, "600"]);
    }
    await clearLimits(area.db());
    expect((await member.here.get(callback)).status).toBe(303);
  },
);

describe("requests that another site's page makes a browser send do not count", () => {
  area.testLimit("a frame", async () => {
    const headers = { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const victim = area.visitor();
    expect(statusesOf(await times(120, () => victim.get(CALLBACK, { headers })))).toEqual([403]);
    expect((await victim.get(CALLBACK)).status).toBe(403);
  });

  area.testLimit("a form does, whatever its sender says of it: no stranger's page can submit it", async () => {
    const headers = { "sec-fetch-dest": "image", "sec-fetch-site": "same-origin" };
    const stranger = area.visitor();
    expect(statusesOf(await times(100, () => stranger.post(MADE_UP, {}, { headers })))).toEqual([404]);
    expect((await stranger.post(MADE_UP, {}, { headers })).status).toBe(429);
  });
});
