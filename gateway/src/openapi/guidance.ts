/** What the reference says of an operation beside its summary: what it is for, and the guide that it belongs to. */
export interface Guidance {
  purpose: string;
  guide: string;
}

/** By the operation's name. */
export const guidance: Readonly<Record<string, Guidance>> = {
  getAccount: {
    purpose:
      "Says whose key this is, for which environment, with which scopes, and what the account can do at present.",
    guide: "environments",
  },
  createOrder: {
    purpose: "Keeps what a customer of yours ordered. Orders are optional: a shipment needs none.",
    guide: "idempotency",
  },
  listOrders: { purpose: "Pages through all orders, in the order of their ids.", guide: "pagination" },
  getOrder: { purpose: "Reads one order.", guide: "errors" },
  createShipment: {
    purpose: "Makes one packed parcel with its sender and recipient known. Rates and a label need it.",
    guide: "quick-start",
  },
  listShipments: { purpose: "Pages through all shipments, in the order of their ids.", guide: "pagination" },
  getShipment: {
    purpose: "Reads one shipment: a `draft`, `label_created` once it has a label, `voided` once that is void.",
    guide: "errors",
  },
  quoteRates: {
    purpose: "Says what a label for the shipment would cost; a label takes the rate's id. Sandbox only.",
    guide: "quick-start",
  },
  createLabel: {
    purpose: "Makes the shipment's only label, with a rate of that very shipment. No charge is made. Sandbox only.",
    guide: "idempotency",
  },
  listLabels: { purpose: "Pages through all labels, in the order of their ids.", guide: "pagination" },
  getLabel: { purpose: "Reads one label, with its tracking number and the path of its file.", guide: "errors" },
  getLabelFile: {
    purpose: "Downloads the label, 4 by 6 inches. The key goes into the header here, too. A voided label has no file.",
    guide: "quick-start",
  },
  voidLabel: {
    purpose: "Takes a label back, and its shipment with it. Voiding again answers the voided label.",
    guide: "testing",
  },
  getTracking: {
    purpose: "Says where a parcel is. In the sandbox it stays `pre_transit` until its label is voided.",
    guide: "testing",
  },
  createSubscription: {
    purpose: "Has events sent to your server. The answer holds the secret that signs them; reads leave it out.",
    guide: "webhooks",
  },
  listSubscriptions: { purpose: "Pages through all subscriptions, disabled ones included.", guide: "webhooks" },
  getSubscription: { purpose: "Reads one subscription, without its secret.", guide: "webhooks" },
  disableSubscription: {
    purpose: "Ends a subscription. What is on its way can still arrive.",
    guide: "webhooks",
  },
};
