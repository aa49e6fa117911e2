import sql from "sql-template-tag";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { countMail } from "./count-mails.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const limit = { name: "source:192.0.2.1", most: 2, minutes: 24 * 60 };
const count = () => countMail({ db: gateway.db, clockOffsetMs: 0 }, limit);

/** Identifies the last transactions that wrote or locked the row: PostgreSQL stores their numbers in it. */
const marks = () => gateway.db.run(sql`SELECT xmin::text, xmax::text, count FROM mail_counts`);

test("above a limit, no row is written, so repeated attempts do not make the database wait for its disk", async () => {
  expect([await count(), await count()]).toEqual([1, 2]);
  const before = await marks();
  expect([await count(), await count()]).toEqual([0, 0]);
  expect(await marks()).toEqual(before);
});

test("at most the limit is counted of many concurrent emails", async () => {
  await gateway.db.run(sql`DELETE FROM mail_counts`);
  const counts = await Promise.all(Array.from({ length: 12 }, count));
  expect(counts.filter((counted) => counted > 0).sort()).toEqual([1, 2]);
  expect(await marks()).toMatchObject([{ count: 2 }]);
});
