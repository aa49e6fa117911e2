/** Where in an operation's answer stands what another one asks for. */
interface Lead {
  to: string;
  parameters?: Record<string, string>;
  requestBody?: unknown;
}

const id = "$response.body#/data/id";

const leads: Readonly<Record<string, readonly Lead[]>> = {
  createOrder: [{ to: "getOrder", parameters: { id } }],
  createShipment: [
    { to: "getShipment", parameters: { id } },
    { to: "quoteRates", requestBody: { shipment_id: id } },
  ],
  quoteRates: [
    {
      to: "createLabel",
      requestBody: { shipment_id: "$response.body#/data/0/shipment_id", rate_id: "$response.body#/data/0/id" },
    },
  ],
  createLabel: [
    { to: "getLabel", parameters: { id } },
    { to: "getLabelFile", parameters: { id } },
    { to: "voidLabel", parameters: { id } },
    { to: "getTracking", parameters: { tracking_number: "$response.body#/data/tracking_number" } },
  ],
  createSubscription: [
    { to: "getSubscription", parameters: { id } },
    { to: "disableSubscription", parameters: { id } },
  ],
};

/** The operations that an operation's success leads to, as links of OpenAPI. */
export function linksOf(operationId: string) {
  const links = (leads[operationId] ?? []).map(({ to, ...given }) => [to, { operationId: to, ...given }]);
  return links.length > 0 && { links: Object.fromEntries(links) };
}
