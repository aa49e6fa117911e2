import { connect } from "node:net";
import { storedKeys } from "@shipping/gateway/testing/stored-accounts";
import { parseAnswers } from "@shipping/kit/testing/raw-http";
import { makeViewer, removeMember } from "@shipping/portal/testing/stored-members";
import { headOf } from "../edge/wire.js";
import { type SignedInVisitor, useArea } from "./area.js";

const area = useArea();

const NEW_KEY = "/developers/live/keys/new";
const BODY = new URLSearchParams({
  name: "held",
  scopes: "orders:read",
  expires: "30d",
  form_id: "form_mfrggzdfmztwq2lknnwg23tpoa",
}).toString();

const keysOf = (accountId: string) => storedKeys(area.stack().databases.gateway, { accountId });

/** Sends the form for a live key up to its body, and the body once `meanwhile` is over. */
async function holdForm({ visitor, accountId }: SignedInVisitor, meanwhile: () => Promise<unknown>) {
  const socket = connect(Number(new URL(area.origin()).port), "127.0.0.1");
  const headers = {
    Cookie: visitor.cookies(),
    "Sec-Fetch-Site": "same-origin",
    "Content-Type": "application/x-www-form-urlencoded",
    "Content-Length": String(BODY.length),
    "Accept-Encoding": "identity",
    // The portal answers this where it begins to read the body, after all other checks.
    Expect: "100-continue",
  };
  socket.write(headOf("POST", `${NEW_KEY}?account_id=${accountId}`, { headers }));
  const chunks: Buffer[] = [];
  let isAsked = false;
  for await (const chunk of socket) {
    chunks.push(chunk);
    if (isAsked) continue;
    isAsked = true;
    await meanwhile();
    socket.write(BODY);
  }
  const [asked, answer] = parseAnswers(Buffer.concat(chunks));
  return { asked: asked?.status, status: answer?.status, html: answer?.body ?? "" };
}

describe("a form for a live key whose body is held back", () => {
  test("makes it, if nothing has changed meanwhile", async () => {
    const member = await area.signIn();
    expect(await holdForm(member, async () => {})).toMatchObject({ asked: 100, status: 201 });
    expect(await keysOf(member.accountId)).toHaveLength(1);
  });

  test.each<[string, number, string, (member: SignedInVisitor) => Promise<unknown>]>([
    ["is removed", 401, "Developer area", ({ email }) => removeMember(area.db(), email)],
    ["is made a viewer", 403, "You are a viewer", ({ email }) => makeViewer(area.db(), email)],
    ["signs out", 401, "Developer area", ({ visitor }) => visitor.post("/developers/sign-out")],
    ["signed in 15 minutes ago", 403, "Sign in again", ({ email }) => area.ageSignIn(email)],
    ["has an account that is suspended", 403, "Account suspended", area.suspend],
  ])("makes none, if its sender %s meanwhile", async (_how, status, says, meanwhile) => {
    const member = await area.signIn();
    await area.signIn({ accountId: member.accountId });
    const answer = await holdForm(member, () => meanwhile(member));
    expect([answer.asked, answer.status, answer.html.includes(says)]).toEqual([100, status, true]);
    expect(await keysOf(member.accountId)).toEqual([]);
  });
});
