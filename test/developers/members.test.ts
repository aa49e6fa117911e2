import { useArea } from "./area.js";
import { auditOf, MEMBERS, pathOf, rowOf } from "./member-list.js";

const area = useArea();

describe("a role", () => {
  test("counts from the next request on, both ways, and is in the audit log", async () => {
    const { visitor, accountId, email: inviter } = await area.signIn();
    const other = await area.signIn({ accountId, role: "viewer" });
    const path = await pathOf(visitor, other.email, "role");
    expect(await visitor.submit(path, { role: "admin" })).toMatchObject({ status: 303, location: MEMBERS });
    expect((await other.visitor.get("/developers/sandbox/keys/new")).status).toBe(200);
    await visitor.submit(path, { role: "viewer" });
    expect((await other.visitor.get("/developers/sandbox/keys/new")).status).toBe(403);
    expect((await auditOf(visitor)).slice(0, 2)).toEqual([
      `${inviter} | Role changed | ${other.email}: from admin to viewer | 127.0.0.1`,
      `${inviter} | Role changed | ${other.email}: from viewer to admin | 127.0.0.1`,
    ]);
  });

  test("that there is not: 422; that of the last admin stays: 409", async () => {
    const { visitor, email } = await area.signIn();
    const path = await pathOf(visitor, email, "role");
    expect((await visitor.post(path, { role: "owner" })).status).toBe(422);
    expect((await visitor.post(path, {})).status).toBe(422);
    const { status, html } = await visitor.post(path, { role: "viewer" });
    expect([status, html.includes("remove the last admin")]).toEqual([409, true]);
    expect((await rowOf(visitor, email)).text).toContain("admin");
  });
});

describe("who is removed", () => {
  test("is signed out at once, with every link, and the audit log says so", async () => {
    const { visitor, accountId, email: remover } = await area.signIn();
    const other = await area.signIn({ accountId });
    const { path: link } = await area.newLink({ accountId, email: other.email });
    const path = await pathOf(visitor, other.email, "remove");
    expect((await visitor.get(path)).html).toContain("is signed out everywhere");
    expect(await visitor.submit(path)).toMatchObject({ status: 303, location: MEMBERS });
    expect((await other.visitor.get("/developers/sandbox")).status).toBe(401);
    expect((await area.visitor().post(link)).status).toBe(404);
    expect((await visitor.post(path)).status).toBe(404);
    expect((await auditOf(visitor))[0]).toBe(`${remover} | Member removed | ${other.email} | 127.0.0.1`);
  });

  test("themselves, is signed out, unless they are the last admin", async () => {
    const { visitor, accountId, email } = await area.signIn();
    const path = await pathOf(visitor, email, "remove");
    const refused = await visitor.submit(path);
    expect([refused.status, refused.html.includes("remove the last admin")]).toEqual([409, true]);
    await area.signIn({ accountId });
    expect((await visitor.get(path)).html).toContain("Leave this account?");
    expect(await visitor.submit(path)).toMatchObject({ status: 303, location: "/developers" });
    expect(visitor.cookies()).not.toContain("session=");
    expect((await visitor.get("/developers")).html).toContain("You have left the account");
  });
});
