import type { Random } from "@shipping/kit/ids";
import { renderLabelPdf } from "../label/pdf.js";
import type { LocalCarrier, Rate } from "./carrier.js";

const NAME = "service_sandbox";
const SERVICE = "sandbox_standard";
const FREE = { currency: "EUR", amount: 0 };

/** The carrier of the sandbox: one fixed rate, labels that are not valid postage, and no network calls. */
export function sandboxCarrier(random: Random): LocalCarrier {
  return {
    isLocal: true,
    name: NAME,
    async rates({ id }) {
      return [newRate(id)];
    },
    offers: (id, shipmentId) => id === rateId(shipmentId),
    async book({ shipment: { id, reference, from, to, parcel }, at }) {
      if (!from || !to || !parcel) throw new Error("The shipment lacks an address or its parcel.");
      const trackingNumber = newTrackingNumber(random);
      const service = SERVICE.replace("_", " ").toUpperCase();
      const bytes = renderLabelPdf({ trackingNumber, service, reference, from, to, parcel, createdAt: at });
      return { trackingNumber, rate: newRate(id), charge: FREE, test: true, file: { format: "pdf", bytes } };
    },
  };
}

function newRate(shipmentId: string): Rate {
  return {
    id: rateId(shipmentId),
    shipmentId,
    carrier: NAME,
    service: SERVICE,
    currency: "EUR",
    amount: 5,
    test: true,
  };
}

function rateId(shipmentId: string): string {
  return `rate_test_${shipmentId}`;
}

/** Returns `TEST` and 20 digits: digits have the widest bars in Code 128, and 20 are enough that two labels never share a number. */
function newTrackingNumber(random: Random): string {
  const number = BigInt(`0x${Buffer.from(random(16)).toString("hex")}`) % 10n ** 20n;
  return `TEST${number.toString().padStart(20, "0")}`;
}
