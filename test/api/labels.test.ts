import { type Label, refusal } from "../platform/api-client.js";
import { createLabel, createOrder, createShipment, labelInput, missingId, usePlatform, voidLabel } from "./platform.js";

const platform = usePlatform();
const missing = missingId("shp");

/** A request whose body names a shipment. */
const naming = [
  { path: "/rates", body: (id: string) => ({ shipment_id: id }) },
  { path: "/labels", body: labelInput },
];

test.each(naming)(
  "POST $path: 404 not_found for a shipment that is missing, foreign, of the other environment, or none",
  async ({ path, body }) => {
    const { sandbox, live } = await platform.customer();
    const stranger = await platform.sandbox();
    const foreign = [(await createShipment(stranger)).id, (await createLabel(stranger)).shipment_id];
    const elsewhere = [(await createShipment(live)).id, (await createOrder(sandbox)).id];
    const ids = [missing, ...foreign, ...elsewhere, "x", "shp_%00", "😀"];
    const answers = await Promise.all(ids.map((id) => sandbox.post(path, body(id))));
    expect(answers.map(refusal)).toEqual(ids.map(() => "404 not_found"));
    expect(new Set(answers.map((answer) => answer.body.error.message)).size).toBe(1);
    expect((await sandbox.get<Label[]>("/labels")).body.data).toEqual([]);
  },
);

test("POST /rates answers the same rate in every state of the shipment", async () => {
  const api = await platform.sandbox();
  const { id } = await createShipment(api);
  const ask = () => api.post("/rates", { shipment_id: id });
  const answers = [await ask()];
  const label = await api.post<Label>("/labels", labelInput(id));
  answers.push(await ask());
  await voidLabel(api, label.body.data.id);
  answers.push(await ask());
  const rate = {
    ...{ id: `rate_test_${id}`, object: "rate", shipment_id: id, carrier: "service_sandbox" },
    ...{ service: "sandbox_standard", currency: "EUR", amount: 5, test: true },
  };
  for (const { status, body } of answers) expect([status, body]).toStrictEqual([200, { data: [rate] }]);
});
