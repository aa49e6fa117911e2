import { randomBytes } from "node:crypto";
import { join } from "node:path";
import sql from "sql-template-tag";
import { silentLog } from "../process/log.js";
import { testDatabase } from "../testing/database.js";
import { openDatabase } from "./database.js";

test("a pool takes user and password from PGUSER and PGPASSWORD if its URL has none, however the password is written", async () => {
  const user = `bare_${randomBytes(4).toString("hex")}`;
  const password = "p@ss:/?#%41 ß";
  const owned = await testDatabase({ directory: join(import.meta.dirname, "../testing/fixtures/prisma") });
  const operator = await owned.db.pool.connect();
  await operator.query(`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`);
  const variables = jest.replaceProperty(process, "env", { ...process.env, PGUSER: user, PGPASSWORD: password });
  const bare = openDatabase(Object.assign(new URL(owned.url), { username: "", password: "" }).href, {
    ...{ max: 1, log: silentLog() },
  });
  expect(await bare.run(sql`SELECT current_user AS user`)).toEqual([{ user }]);
  await bare.close();
  variables.restore();
  await operator.query(`DROP ROLE ${user}`);
  operator.release();
  await owned.drop();
});
