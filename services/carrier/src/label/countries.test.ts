import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { countryName } from "@shipping/kit/postal/country-name";
import { runs } from "@shipping/kit/testing/runs";
import { AddressSchema, ParcelSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import fc from "fast-check";
import { renderLabelPdf } from "./pdf.js";
import { readCodes } from "./testing/read-codes.js";
import { readPdf } from "./testing/read-pdf.js";

type AddressInit = MessageInitShape<typeof AddressSchema>;

const sender: AddressInit = { name: "Lager", street1: "Ring 1", city: "Ulm", postalCode: "89073", country: "DE" };

function label(to: AddressInit, from = sender) {
  return renderLabelPdf({
    trackingNumber: "TEST01234567890123456789",
    service: "SANDBOX STANDARD",
    reference: "PO-1",
    from: create(AddressSchema, from),
    to: create(AddressSchema, to),
    parcel: create(ParcelSchema, { weightKg: 2, lengthCm: 40, widthCm: 30, heightCm: 20 }),
    createdAt: new Date("2026-11-21T10:00:00.000Z"),
  });
}

/**
 * Returns the lines of both postal addresses, in the order in which they are drawn: the sender's after the form, the recipient's before the
 * country's code.
 */
function placedLines(pdf: Uint8Array) {
  const { texts } = readPdf(pdf);
  const at = (word: string) => texts.findIndex(({ text }) => text === word);
  return {
    sender: texts.slice(at("REFERENCE") + 1, at("2 kg")),
    recipient: texts.slice(at("2026-11-21") + 1, at("SANDBOX STANDARD") - 1),
  };
}

const textsIn = (lines: readonly { text: string }[]) => lines.map(({ text }) => text);

const cases: [to: AddressInit, lines: string][] = [
  [
    {
      country: "JP",
      name: "山田 太郎",
      street1: "丸の内1-9-2",
      city: "千代田区",
      state: "東京都",
      postalCode: "100-6612",
    },
    "〒100-6612|東京都千代田区|丸の内1-9-2|山田 太郎|ShanTian TaiLang|WannoNei1-9-2, QianDaiTianQu, DongJingDou|JAPAN",
  ],
  [
    {
      country: "CN",
      name: "王小明",
      street1: "建国门外大街1号",
      city: "广州市",
      state: "广东省",
      postalCode: "510000",
    },
    "510000|广东省广州市|建国门外大街1号|王小明|WangXiaoMing|JianGuoMenWaiDaJie1Hao|GuangZhouShi|GuangDongSheng, 510000|CHINA",
  ],
  [
    { country: "KR", name: "홍길동", street1: "세종대로 110", city: "중구", state: "서울특별시", postalCode: "04524" },
    "서울특별시 중구|세종대로 110|홍길동|04524|HongGilDong|SeJongDaeLo 110|JungGu|SeoUlTeugByeolSi|SOUTH KOREA",
  ],
  [
    { country: "GR", name: "Ελένη Παπά", street1: "Σοφίας 22", city: "Αθήνα", postalCode: "106 74" },
    "Ελένη Παπά|Σοφίας 22|106 74 Αθήνα|Eleni Papa|Sofias 22|106 74 Athina|GREECE",
  ],
  [
    { country: "UA", name: "Ірина Їжакевич", street1: "вул. Хрещатик, 22", city: "Київ", postalCode: "01001" },
    "Ірина Їжакевич|вул. Хрещатик, 22|Київ|01001|Irina Izhakevich|vul. Khreshchatik, 22|Kiiv|UKRAINE",
  ],
  [
    { country: "IL", name: "דנה לוי", street1: "שדרות רוטשילד 45", city: "תל אביב", postalCode: "6578403" },
    "דנה לוי|שדרות רוטשילד 45|תל אביב 6578403|dnh lvy|sdrvt rvtsyld 45|tl 'vyv 6578403|ISRAEL",
  ],
  [
    { country: "SA", name: "محمد", street1: "طريق الملك فهد 2347", city: "الرياض", postalCode: "12212" },
    "محمد|طريق الملك فهد 2347|الرياض 12212|mhmd|tryq lmlk fhd 2347|lryd 12212|SAUDI ARABIA",
  ],
  [
    {
      country: "IN",
      name: "प्रिया शर्मा",
      street1: "14 महात्मा गांधी रोड",
      city: "मुंबई",
      state: "महाराष्ट्र",
      postalCode: "400001",
    },
    "प्रिया शर्मा|14 महात्मा गांधी रोड|मुंबई 400001|महाराष्ट्र|priya srma|14 mhatma gamdhi rod|mumbi 400001|mharastr|INDIA",
  ],
];

describe.each(cases)("a label to %j", (to, text) => {
  const lines = text.split("|");

  test("has the lines in the order of the country, also for a sender, whose Latin ones are a paragraph", () => {
    expect(textsIn(placedLines(label(to)).recipient)).toEqual(lines);
    const texts = textsIn(placedLines(label(sender, to)).sender).join(" ");
    for (const word of lines.flatMap((line) => line.split(/[ ,]+/))) expect(texts).toContain(word);
  });

  test("is small, and both codes are read from its print", async () => {
    const pdf = label(to);
    expect(pdf.length).toBeLessThan(12_000);
    expect((await readCodes(pdf)).map(({ text }) => text).sort()).toEqual([
      "TEST01234567890123456789",
      `TEST01234567890123456789|${to.country}|${to.postalCode}`,
    ]);
  });
});

test("however long its fields are, a postal address keeps a line of each, and the country's name", () => {
  const alphabets = ["abc ", "łąć ", "жук ", "漢字かな", "서울 ", "אבג ", "بتث ", "กขค "];
  const letter = fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  const country = fc.tuple(letter, letter).map((letters) => letters.join(""));
  const length = fc.constantFrom(5, 20, 35, 200);
  fc.assert(
    fc.property(fc.constantFrom(...alphabets), length, country, (alphabet, count, code) => {
      const text = (first: string) => (first + alphabet.repeat(count)).slice(0, count);
      const all = { name: text("N"), company: text("C"), street1: text("A"), street2: text("B") };
      const address = { ...all, city: text("T"), state: text("S"), postalCode: text("Z"), country: code };
      const pdf = label(address, address);
      const { sender, recipient } = placedLines(pdf);
      for (const [placed, bottom] of [
        [sender, 120],
        [recipient, 266],
      ] as const) {
        const lines = textsIn(placed);
        const lowest = placed.at(-1)!;
        expect(lowest.baseline + lowest.size * 0.22).toBeLessThan(bottom);
        expect(lines.join(" ").endsWith(countryName(code))).toBe(true);
        for (const initial of ["N", "C", "A", "B"]) expect(lines.join("\n")).toMatch(new RegExp(initial));
      }
    }),
    { numRuns: runs(20) },
  );
});
