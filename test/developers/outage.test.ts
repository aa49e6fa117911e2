import { eventually } from "@shipping/kit/testing/eventually";
import { useArea } from "./area.js";

const area = useArea({ logs: true });

test("503 with Retry-After: 5 while no connection is left, then as ever", async () => {
  const { visitor } = await area.signIn();
  const { pool, listPool } = area.stack().databases.gateway;
  const all = [pool, listPool].flatMap((each) => Array.from({ length: each.options.max }, () => each.connect()));
  const held = await Promise.all(all);
  const during = await visitor.get("/developers/sandbox");
  for (const client of held) client.release();
  expect([during.status, during.headers["retry-after"]]).toEqual([503, "5"]);
  await eventually(() => expect(area.stack().logged()).toMatch(/"status":503.*"cause":"gateway_database"/));
  expect(await visitor.get("/developers/sandbox")).toMatchObject({ status: 200 });
});
