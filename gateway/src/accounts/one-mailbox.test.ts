import { gatewayDatabase } from "../testing/gateway-database.js";
import { createAccount } from "./manage-accounts.js";
import { addMember, getMember } from "./manage-members.js";

const SPELLINGS = ["ada@münchen.example", "ada@xn--mnchen-3ya.example", "Ada@mu\u0308nchen。example."] as const;

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const newAccount = async () => (await createAccount(gateway.admin, { name: "Acme" })).id;

test.each(SPELLINGS)("somebody added as %s is found under each spelling, and added once", async (spelling) => {
  const accountId = await newAccount();
  const { id } = await addMember(gateway.admin, { accountId, email: spelling, role: "viewer" });
  for (const email of SPELLINGS) {
    expect(await getMember(gateway.admin, { accountId, email })).toMatchObject({ id });
    const again = addMember(gateway.admin, { accountId, email, role: "admin" });
    await expect(again).rejects.toThrow("is a member of");
  }
});
