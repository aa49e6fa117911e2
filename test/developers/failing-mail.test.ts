import { eventually } from "@shipping/kit/testing/eventually";
import type { TakenMail } from "@shipping/portal/testing/smtp-server";
import { FAILED_FOR_HOURS } from "@shipping/webhooks/health/claim-failing";
import { awaitsAlert, failedFor } from "@shipping/webhooks/testing/stored-health";
import { useArea } from "./area.js";
import { useMailbox } from "./mailbox.js";
import { sendTest, textOf, useSubscribers } from "./subscribers.js";

const mailbox = useMailbox();
const area = useArea({ mail: mailbox.route, replicas: 2 });
const { obedient, subscribed } = useSubscribers(area);

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
    await failedFor(area.stack().databases.webhooks, id, FAILED_FOR_HOURS + 1);
  };
  await fail();
  const [{ parsed }] = await mails(1);
  expect(parsed.subject).toBe(`Webhooks to ${new URL(receiver.url).host} have been failing for a day`);
  expect(parsed.text).toContain("Responded with 500");
  const [link = ""] = /http:\S+whk_\w+/.exec(parsed.text ?? "") ?? [];
  expect((await visitor.get(new URL(link).pathname)).html).toContain("Nothing has been delivered since");

  // The health check then finds no subscription to report.
  const { webhooks } = area.stack().databases;
  await eventually(async () => expect(await awaitsAlert(webhooks, id)).toBe(false));

  tell(204);
  await sendTest(visitor, path);
  await eventually(async () =>
    expect(await textOf(visitor, path)).not.toMatch(/Nothing has been delivered since|Last success Never/),
  );
  tell(500);
  await fail();
  await mails(2);
});
