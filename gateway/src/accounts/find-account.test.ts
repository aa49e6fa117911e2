import sql from "sql-template-tag";
import type { AdminDeps } from "../database/deps.js";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { findAccount } from "./find-account.js";
import { createAccount } from "./manage-accounts.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
let deps: AdminDeps;
beforeAll(async () => {
  gateway = await gatewayDatabase();
  deps = gateway.admin;
});
afterEach(() => gateway.db.run(sql`TRUNCATE accounts CASCADE`));
afterAll(() => gateway.drop());

const newAccount = async (name: string) => (await createAccount(deps, { name })).id;

test("an account is found by its id, and by its name if no other has it", async () => {
  const [acme, other] = [await newAccount("Acme Ltd"), await newAccount("Other")];
  expect(await findAccount(deps, acme)).toBe(acme);
  expect(await findAccount(deps, "Acme Ltd")).toBe(acme);
  expect(await findAccount(deps, "Other")).toBe(other);
});

test("an id means its account, even where another account has it as its name", async () => {
  const acme = await newAccount("Acme");
  await newAccount(acme);
  expect(await findAccount(deps, acme)).toBe(acme);
});

test("a name that several accounts have is refused with their ids, the oldest first and ten at most", async () => {
  const ids = [await newAccount("Twin"), await newAccount("Twin")];
  await expect(findAccount(deps, "Twin")).rejects.toThrow(
    `2 accounts are named Twin. Use the ID of one of them: ${ids.map((id) => `Twin (${id})`).join(", ")}.`,
  );
  for (let n = 3; n <= 12; n++) await newAccount("Twin");
  await expect(findAccount(deps, "Twin")).rejects.toThrow(
    /^12 accounts are named Twin\. .*(Twin \(acc_\w+\), ){9}Twin \(acc_\w+\) and 2 more\.$/,
  );
});

test("without a name, the only account is found; if there are several, the message names them", async () => {
  await expect(findAccount(deps, undefined)).rejects.toThrow("There is no account. To create one, run account create.");
  const acme = await newAccount("Acme");
  expect(await findAccount(deps, undefined)).toBe(acme);
  const other = await newAccount("Other");
  await expect(findAccount(deps, undefined)).rejects.toThrow(
    `Add --account with a name or ID: Acme (${acme}), Other (${other}).`,
  );
});

test.each(["acme", "Acem", "Acmes", "ac", "ACME LTD"])(
  "for the unknown name %s, the error suggests the nearest name",
  async (name) => {
    const acme = await newAccount("Acme");
    await newAccount("Globex");
    await expect(findAccount(deps, name)).rejects.toThrow(`No such account: ${name}. Did you mean Acme (${acme})?`);
  },
);

test.each(["Initech", "acc_none", "", "   "])(
  "'%s', which no name is near to, is told where the names are",
  async (name) => {
    await newAccount("Acme");
    await expect(findAccount(deps, name)).rejects.toThrow(
      `No such account: ${name}. No account has a similar name. To see all accounts, run account list.`,
    );
  },
);
