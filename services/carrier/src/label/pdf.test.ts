import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { AddressSchema, ParcelSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import fc from "fast-check";
import { type LabelContent, renderLabelPdf } from "./pdf.js";
import { printPdf, readCodes } from "./testing/read-codes.js";
import { readPdf } from "./testing/read-pdf.js";

type AddressInit = MessageInitShape<typeof AddressSchema>;

const from: AddressInit = {
  name: "Lager Nord",
  street1: "Industrieweg 5–7",
  city: "Hamburg",
  postalCode: "20095",
  country: "DE",
};
const to: AddressInit = {
  name: "Erika Mustermann",
  street1: "Heidestraße 17",
  city: "Köln",
  postalCode: "51147",
  country: "AT",
};
const parcel = { weightKg: 12.5, lengthCm: 40, widthCm: 30, heightCm: 20 };

function content(
  extra: { from?: AddressInit; to?: AddressInit; parcel?: Partial<typeof parcel>; reference?: string } = {},
): LabelContent {
  return {
    trackingNumber: "TEST01234567890123456789",
    service: "SANDBOX STANDARD",
    reference: extra.reference ?? "PO-1",
    from: create(AddressSchema, extra.from ?? from),
    to: create(AddressSchema, extra.to ?? to),
    parcel: create(ParcelSchema, { ...parcel, ...extra.parcel }),
    createdAt: new Date("2026-11-21T10:00:00.000Z"),
  };
}

function drawn(extra?: Parameters<typeof content>[0]) {
  return readPdf(renderLabelPdf(content(extra)));
}

function textsOf(extra?: Parameters<typeof content>[0]) {
  return drawn(extra).texts.map(({ text }) => text);
}

describe("renderLabelPdf", () => {
  test("is one page of 4 by 6 inches, which viewers print at its actual size", () => {
    expect(drawn()).toMatchObject({ pages: 1, mediaBox: "0 0 288 432" });
    const file = Buffer.from(renderLabelPdf(content())).toString("latin1");
    expect(file).toMatch(/\/Type \/Catalog .*\/ViewerPreferences << \/PrintScaling \/None >>/);
  });

  test("renders the same content to the same bytes, and other content to others", () => {
    const first = renderLabelPdf(content());
    const second = renderLabelPdf(content());
    const other = renderLabelPdf(content({ reference: "PO-2" }));
    expect(Buffer.from(first).equals(second)).toBe(true);
    expect(Buffer.from(first).equals(other)).toBe(false);
  });

  test("says that it is not valid, and shows sender, recipient, reference, weight, size, date and number", () => {
    const shown = [
      ...["TEST LABEL – NOT VALID FOR SHIPPING", "Lager Nord", "Industrieweg 5–7", "20095 Hamburg"],
      ...["Erika Mustermann", "Heidestraße 17", "51147 Köln", "AUSTRIA", "AT", "PO-1", "SANDBOX STANDARD"],
      ...["12.5 kg", "40 × 30 × 20 cm", "2026-11-21", "1 of 1", "TEST 0123 4567 8901 2345 6789"],
    ];
    expect(textsOf()).toEqual(expect.arrayContaining(shown));
  });

  test("shows the given optional fields, and no email address", () => {
    const optional = {
      company: "Beispiel AG",
      street2: "Hinterhaus",
      state: "NRW",
      phone: "+49 221 5",
      email: "e@x.org",
    };
    const texts = textsOf({ to: { ...to, ...optional } });
    expect(texts).toEqual(expect.arrayContaining(["Beispiel AG", "Hinterhaus", "51147 Köln, NRW", "Tel. +49 221 5"]));
    expect(texts.join()).not.toContain("e@x.org");
    expect(textsOf().join()).not.toContain("Tel.");
  });

  test.each([
    [{ weightKg: 1000 }, "1000 kg"],
    [{ weightKg: 0.0004 }, "< 0.001 kg"],
    [{ weightKg: 2.34567 }, "2.346 kg"],
    [{ lengthCm: 1e-9, widthCm: 999.999, heightCm: 0.1 }, "< 0.001 × 999.999 × 0.1 cm"],
  ])("prints the parcel %j as %j", (size, expected) => {
    expect(textsOf({ parcel: size })).toContain(expected);
  });

  test("cuts text that has no room, and is still one page", () => {
    const long = "A long field of many words ".repeat(10).slice(0, 200);
    const all = {
      name: long,
      company: long,
      street1: long,
      street2: long,
      city: long,
      postalCode: long,
      state: long,
      phone: long,
    };
    const { pages, texts } = drawn({
      from: { ...all, country: "PL" },
      to: { ...all, country: "PL" },
      reference: long,
    });
    expect(pages).toBe(1);
    expect(texts.filter(({ text }) => text.endsWith("…")).length).toBeGreaterThan(8);
  });

  test("draws the tracking number in Code 128, with room to both sides", () => {
    const { rectangles } = drawn();
    const bars = rectangles.filter(({ height }) => height === 72);
    const module = Math.min(...bars.map(({ width }) => width));
    const widths = bars.flatMap(({ x, width }, index) => {
      const next = bars[index + 1];
      return [width, ...(next ? [next.x - x - width] : [])].map((points) => Math.round(points / module));
    });
    // The code has start B, T, E, S, T, code C, ten pairs of digits and the check digit: 17 symbols of 11 modules, and the stop's 13.
    expect(widths.reduce((sum, width) => sum + width, 0)).toBe(17 * 11 + 13);
    expect(widths.slice(0, 6).join("")).toBe("211214");
    expect(widths.slice(-7).join("")).toBe("2331112");
    expect(module).toBeCloseTo((3 * 72) / 203, 1);
    const last = bars.at(-1)!;
    expect(bars[0]!.x - 9).toBeGreaterThanOrEqual(10 * module);
    expect(279 - last.x - last.width).toBeGreaterThanOrEqual(10 * module);
  });

  test.each([203, 300])("both codes are read from a print of %i dots an inch", async (dpi) => {
    const codes = await readCodes(renderLabelPdf(content()), dpi);
    expect(codes.map(({ format, text }) => [format, text]).sort()).toEqual([
      ["Code128", "TEST01234567890123456789"],
      ["DataMatrix", "TEST01234567890123456789|AT|51147"],
    ]);
  });

  test("the 2D code has a quiet zone of more than three modules", async () => {
    const codes = await readCodes(renderLabelPdf(content()));
    const { left, top, right, bottom } = codes.find(({ format }) => format === "DataMatrix")!;
    const cell = { left: 232, top: 266, right: 279, bottom: 313 };
    const quiet = Math.min(left - cell.left, top - cell.top, cell.right - right, cell.bottom - bottom);
    expect(quiet).toBeGreaterThan((3 * 4 * 72) / 203);
  });

  test("every row of a Hebrew text begins at the right, also one that begins with Latin letters", () => {
    const street1 = "שדרות רוטשילד 45/3, דירה 7 – קומה 2, Building B";
    const { texts } = drawn({ to: { ...to, street1 } });
    const rows = texts.filter(({ text, face }) => face === "Letters" && street1.includes(text));
    expect(rows.map(({ text }) => text)).toEqual([expect.stringContaining("שדרות"), "Building B"]);
    for (const { x, width } of rows) expect(x + width).toBeCloseTo(271, 0);
  });

  test("marks that stand above or below each other do not cover another part of the label", async () => {
    const marked = (mark: string) => Array.from("qyq", (letter) => letter + mark.repeat(40)).join("");
    const name = marked("\ua69e");
    const reference = marked("\u08d9");
    const plain = await printPdf(renderLabelPdf(content({ from, to: { ...to, name: "qyq" }, reference: "qyq" })));
    const { data } = await printPdf(renderLabelPdf(content({ from, to: { ...to, name }, reference })));
    const changed = [...data.keys()].filter((index) => data[index] !== plain.data[index]);
    const rows = new Set(changed.map((index) => Math.floor(((index / plain.width) * 72) / 203)));
    expect(Math.min(...rows)).toBeGreaterThanOrEqual(120);
    expect(Math.max(...rows)).toBeLessThanOrEqual(313);
  });

  test("whatever the fields hold, every text stays inside its part of the frame", () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 200 });
    const address = fc.record(
      {
        name: text,
        street1: text,
        city: text,
        postalCode: text,
        country: fc.constant("WW"),
        company: text,
        street2: text,
        state: text,
        phone: text,
      },
      { requiredKeys: ["name", "street1", "city", "postalCode", "country"] },
    );
    fc.assert(
      fc.property(address, address, text, (sender, recipient, reference) => {
        const { pages, texts } = drawn({ from: sender, to: recipient, reference });
        expect(pages).toBe(1);
        for (const { x, width, baseline, size } of texts.filter(({ size }) => size < 100)) {
          expect(x).toBeGreaterThanOrEqual(9);
          expect(x + width).toBeLessThanOrEqual(x < 184 && baseline > 45 && baseline < 120 ? 184 : 279);
          expect(baseline - size * 0.75).toBeGreaterThanOrEqual(9);
          expect(baseline).toBeLessThanOrEqual(423);
        }
      }),
    );
  });
});
