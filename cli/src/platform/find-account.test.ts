import { type StubAccount, stubGateway } from "../testing/stub-gateway.js";
import { adminConfig } from "./config.js";
import { findAccount } from "./find-account.js";
import { findPlatform } from "./find-platform.js";

let accounts: StubAccount[];
let gateway: Awaited<ReturnType<typeof stubGateway>>;
beforeAll(async () => {
  accounts = [];
  gateway = await stubGateway({}, { accounts });
});
beforeEach(() => void accounts.splice(0));
afterAll(() => gateway.stop());

const find = async (nameOrId: string | undefined, allow?: { erased: boolean }) =>
  findAccount(await findPlatform(adminConfig({ GATEWAY_URL: gateway.url })), nameOrId, allow);
const newAccount = (name: string, more: Partial<StubAccount> = {}) => {
  const id = `acc_${accounts.length}`;
  accounts.push({ id, name, ...more });
  return id;
};

test("an account is found by its id, and by its name if no other has it", async () => {
  const [acme, other] = [newAccount("Acme Ltd"), newAccount("Other")];
  expect((await find(acme)).id).toBe(acme);
  expect((await find("Acme Ltd")).id).toBe(acme);
  expect((await find("Other")).id).toBe(other);
});

test("an id means its account, even where another account has it as its name", async () => {
  newAccount("acc_1");
  const acme = newAccount("Acme");
  expect((await find(acme)).name).toBe("Acme");
});

test("a name that several accounts have is refused with their ids, the oldest first and ten at most", async () => {
  const ids = [newAccount("Twin"), newAccount("Twin")];
  await expect(find("Twin")).rejects.toThrow(
    `2 accounts are named Twin. Use the ID of one of them: ${ids.map((id) => `Twin (${id})`).join(", ")}.`,
  );
  for (let n = 3; n <= 12; n++) newAccount("Twin");
  await expect(find("Twin")).rejects.toThrow(
    /^12 accounts are named Twin\. .*(Twin \(acc_\w+\), ){9}Twin \(acc_\w+\) and 2 more\.$/,
  );
  for (let n = 13; n <= 150; n++) newAccount("Twin");
  await expect(find("Twin")).rejects.toThrow(/^at least 100 accounts are named Twin\. .* and at least 90 more\.$/);
});

test("without a name, the only account is found; if there are several, the message names them", async () => {
  await expect(find(undefined)).rejects.toThrow("There is no account. To create one, run account create.");
  newAccount("Gone", { erasingSince: "2026-01-01T00:00:00.000Z" });
  const acme = newAccount("Acme");
  expect((await find(undefined)).id).toBe(acme);
  const other = newAccount("Other");
  await expect(find(undefined)).rejects.toThrow(`Add --account with a name or ID: Acme (${acme}), Other (${other}).`);
});

test("an account that is being erased or is erased is found only by what may", async () => {
  const gone = newAccount("Gone", { erasingSince: "2026-01-01T00:00:00.000Z" });
  await expect(find(gone)).rejects.toThrow(/is being erased since 2026-01-01T00:00:00\.000Z\. To finish, run/);
  expect((await find(gone, { erased: true })).id).toBe(gone);
});

test.each(["acme", "Acem", "Acmes", "ac", "ACME LTD"])(
  "for the unknown name %s, the error suggests the nearest name, wherever it is in the list",
  async (name) => {
    for (let n = 0; n < 120; n++) newAccount(`Globex ${n}`);
    const acme = newAccount("Acme");
    await expect(find(name)).rejects.toThrow(`No such account: ${name}. Did you mean Acme (${acme})?`);
  },
);

test.each(["Initech", "acc_none", "", "   "])(
  "'%s', which no name is near to, is told where the names are",
  async (name) => {
    newAccount("Acme");
    await expect(find(name)).rejects.toThrow(
      `No such account: ${name}. No account has a similar name. To see all accounts, run account list.`,
    );
  },
);
