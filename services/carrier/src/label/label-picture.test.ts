import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { AddressSchema, ParcelSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import { renderLabelPdf } from "./pdf.js";
import { labelPicture } from "./testing/label-picture.js";

const FILE = join(import.meta.dirname, "../../../../docs/figures/label.svg");
const MAX_BYTES = 20_000;

const hamburg = { street1: "Speicherstrasse 12", city: "Hamburg", postalCode: "20457", country: "DE" };
const paris = { street1: "8 Rue de la Paix", city: "Paris", postalCode: "75002", country: "FR" };
const pdf = renderLabelPdf({
  trackingNumber: "TEST01938475620192837465",
  service: "SANDBOX STANDARD",
  reference: "PO-1042",
  from: create(AddressSchema, { name: "Warehouse 7", company: "Nordlicht GmbH", phone: "+49 40 123456", ...hamburg }),
  to: create(AddressSchema, { name: "Zoë Martin", phone: "+33 1 23456789", ...paris }),
  parcel: create(ParcelSchema, { weightKg: 1.2, lengthCm: 30, widthCm: 20, heightCm: 10 }),
  createdAt: new Date("2026-01-15T09:30:00Z"),
});

const picture = labelPicture(pdf, "A label and its parts", [
  { side: "left", lines: ["Banner and background:", "this is a test label"], at: [12, 24] },
  { side: "left", lines: ["Sender, with the", "phone number"], at: [14, 75] },
  { side: "left", lines: ["Recipient, with the", "phone number"], at: [14, 185] },
  { side: "left", lines: ["Country code", "of the recipient"], at: [16, 290] },
  { side: "left", lines: ["Barcode: the tracking", "number, in Code 128"], at: [16, 360] },
  { side: "right", lines: ["Weight, size, and the", "date of creation in UTC"], at: [270, 100] },
  { side: "right", lines: ["2D code: tracking", "number, country and", "postal code"], at: [268, 292] },
  { side: "right", lines: ["Service, and the", "shipment's reference"], at: [200, 271], textAt: 235 },
]);

test("the picture of a label in the guide is the label that the carrier draws today, in few bytes", () => {
  if (process.env.UPDATE_FIGURES) writeFileSync(FILE, picture);
  expect(picture.length).toBeLessThan(MAX_BYTES);
  // `UPDATE_FIGURES=1 npx jest services/carrier/src/label/label-picture` draws it again.
  expect(readFileSync(FILE, "utf8")).toBe(picture);
});
