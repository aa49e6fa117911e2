// Shared by the programs in JavaScript: their requests, and how they print responses.
const address = (name) => ({ name, street1: "Königsallee 1", city: "Düsseldorf", postal_code: "40212", country: "DE" });
export const packed = (name) => ({
  reference: "PO-1",
  from: address("Zoë"),
  to: address(name),
  parcel: { weight_kg: 1.25, length_cm: 30, width_cm: 20, height_cm: 10 },
  metadata: { n: [1] },
});
export const hook = { url: "https://hooks.example.com/labels", events: ["label.created"] };

export async function print({ label, file, voided, tracking, page, subscription, refusal }) {
  console.log(
    JSON.stringify({
      label: label.id,
      pdf: (await new Response(file).text()).slice(0, 5),
      status: voided.status,
      tracking: tracking.status,
      listed: page.data[0].id === label.id,
      secret: subscription.secret.startsWith("whsec_"),
      refusal: refusal.code,
      fields: refusal.fields.map(({ path }) => path),
    }),
  );
}
