import { eventually } from "@shipping/kit/testing/eventually";
import type { TakenMail } from "@shipping/portal/testing/smtp-server";
import sql from "sql-template-tag";
import { useArea } from "./area.js";
import { useMailbox } from "./mailbox.js";
import { sendTest, textOf, useSubscribers } from "./subscribers.js";

const mailbox = useMailbox();
const area = useArea({ mail: mailbox.route, replicas: 2 });
const { obedient, subscribed } = useSubscribers(area);

/** Moves the beginning of a failure and the last success into the past. */
async function failingFor(id: string, hours: number): Promise<void> {
  const moved = await area.stack().databases.webhooks.run(sql`
    UPDATE subscription_health SET failing_since = failing_since - ${hours}::integer * interval '1 hour',
      last_success_at = last_success_at - ${hours}::integer * interval '1 hour'
    WHERE subscription_id = ${id} AND failing_since IS NOT NULL RETURNING subscription_id`);
  expect(moved).toHaveLength(1);
}

test("a subscription that has failed for a day is told to its admins once, by two gateways; after a success it may be again", async () => {
  const { receiver, tell } = await obedient(500);
  const { visitor, path, id, email, accountId } = await subscribed(receiver.url, ["label.created"]);
  await area.newLink({ accountId, role: "viewer", email: "viewer@example.com" });
  const mails = (count: number) =>
    eventually(() => {
      const { taken } = mailbox.server();
      expect(taken.map(({ to }) => to)).toEqual(Array.from({ length: count }, () => [email]));
      return taken as [TakenMail];
    });
  const fail = async () => {
    await sendTest(visitor, path);
    await eventually(async () => expect(await textOf(visitor, path)).toContain("Nothing has been delivered since"));
    await failingFor(id, 25);
  };
  await fail();
  const [{ parsed }] = await mails(1);
  expect(parsed.subject).toBe(`Webhooks to ${new URL(receiver.url).host} have been failing for a day`);
  expect(parsed.text).toContain("Responded with 500");
  const [link = ""] = /http:\S+whk_\w+/.exec(parsed.text ?? "") ?? [];
  expect((await visitor.get(new URL(link).pathname)).html).toContain("Nothing has been delivered since");

  // The health check then finds no subscription to report.
  const unalerted = sql`
    SELECT FROM subscription_health WHERE subscription_id = ${id} AND failing_since IS NOT NULL AND alerted_at IS NULL`;
  const { webhooks } = area.stack().databases;
  await eventually(async () => expect(await webhooks.run(unalerted)).toEqual([]));

  tell(204);
  await sendTest(visitor, path);
  await eventually(async () =>
    expect(await textOf(visitor, path)).not.toMatch(/Nothing has been delivered since|Last success Never/),
  );
  tell(500);
  await fail();
  await mails(2);
});
