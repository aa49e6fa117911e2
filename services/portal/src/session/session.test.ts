import { SKEWED_CLOCKS } from "@shipping/kit/testing/skewed-clocks";
import { addMember } from "../members/manage-members.js";
import { portalDatabase } from "../testing/portal-database.js";
import { listSessions } from "./member-sessions.js";
import { findSession, MAX_SESSIONS, setCookie, startSession } from "./session.js";

const ORIGIN = "http://127.0.0.1";
const MINUTE_MS = 60_000;
const FROM = { source: "192.0.2.1", userAgent: "Firefox" };

let portal: Awaited<ReturnType<typeof portalDatabase>>;
let memberId: string;
beforeAll(async () => {
  portal = await portalDatabase();
  const accountId = await portal.newAccount();
  memberId = (await addMember(portal, { accountId, email: "ada@example.com", role: "admin" })).id;
});
afterAll(() => portal.drop());

async function sessionOf(authenticatedAt: Date | undefined, now: () => Date = () => new Date()) {
  const deps = { ...portal, now, origin: () => ORIGIN };
  const token = await startSession(deps, memberId, { authenticatedAt }, FROM);
  return findSession(deps, setCookie("session", token, ORIGIN).split(";")[0], FROM.source);
}

test.each([
  ["just now", 0, true],
  ["14 minutes ago", -14, true],
  ["16 minutes ago", -16, false],
  ["by a provider whose clock is five minutes ahead", 5, true],
])("who authenticated %s is in, and may change what needs a recent sign-in or not", async (_, minutes, fresh) => {
  expect(await sessionOf(new Date(Date.now() + minutes * MINUTE_MS))).toMatchObject({ memberId, fresh });
});

test.each(SKEWED_CLOCKS)("without a time from the provider it is not recent, in a portal %s", async (_, now) => {
  expect(await sessionOf(undefined, now)).toMatchObject({ memberId, fresh: false });
});

test("an authentication in the future is recent for 15 minutes and no longer", async () => {
  const deps = { ...portal, origin: () => ORIGIN };
  const token = await startSession(deps, memberId, { authenticatedAt: new Date(Date.now() + 60 * MINUTE_MS) }, FROM);
  const cookie = setCookie("session", token, ORIGIN).split(";")[0];
  expect(await findSession({ ...deps, clockOffsetMs: 16 * MINUTE_MS }, cookie, FROM.source)).toMatchObject({
    fresh: false,
  });
});

test("a session beyond a member's maximum ends the one that was not used for longest", async () => {
  const accountId = await portal.newAccount();
  const { id } = await addMember(portal, { accountId, email: "bob@example.com", role: "viewer" });
  const begin = (member: string, minute: number) =>
    startSession(
      { ...portal, clockOffsetMs: minute * MINUTE_MS },
      member,
      { authenticatedAt: undefined },
      { ...FROM, userAgent: `${minute}` },
    );
  await begin(memberId, 0);
  for (let minute = 0; minute < MAX_SESSIONS + 3; minute++) await begin(id, minute);
  const left = (await listSessions(portal, id)).map(({ userAgent }) => Number(userAgent));
  expect(left).toEqual(Array.from({ length: MAX_SESSIONS }, (_, n) => MAX_SESSIONS + 2 - n));
  expect(await listSessions(portal, memberId)).not.toEqual([]);
});

test("a session shows its most recent IP address at once", async () => {
  const deps = { ...portal, origin: () => ORIGIN };
  const token = await startSession(deps, memberId, { authenticatedAt: undefined }, { ...FROM, userAgent: "Moving" });
  await findSession(deps, setCookie("session", token, ORIGIN).split(";")[0], "192.0.2.2");
  const moved = (await listSessions(deps, memberId)).find(({ userAgent }) => userAgent === "Moving");
  expect(moved?.source).toBe("192.0.2.2");
});
