import { refusal, type Webhook } from "../platform/api-client.js";
import { createWebhook, usePlatform } from "./platform.js";

const platform = usePlatform();

test("POST /webhooks: 409 webhook_limit_reached for the eleventh active one, until one is deleted; the key stays free", async () => {
  const api = await platform.sandbox();
  const webhooks: Webhook[] = [];
  for (let n = 0; n < 10; n++) webhooks.push(await createWebhook(api));
  const { url, events } = webhooks[0]!;
  const create = () => api.post("/webhooks", { url, events }, "retried");
  expect(refusal(await create())).toBe("409 webhook_limit_reached");
  await api.delete(`/webhooks/${webhooks[3]?.id}`);
  expect((await create()).status).toBe(201);
});
