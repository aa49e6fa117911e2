import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { AddressSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import { addressFields, textFields } from "./address-fields.js";

const style = { emphasis: 1.15, beneath: "lines" as const };
const fieldsOf = (address: MessageInitShape<typeof AddressSchema>, how: Parameters<typeof addressFields>[1] = style) =>
  addressFields(create(AddressSchema, address), how);

const moscow = {
  name: "Иван Щербаков",
  street1: "ул. Тверская, 7",
  city: "Москва",
  postalCode: "125009",
  country: "RU",
};

describe("addressFields", () => {
  test("Latin letters stand alone, in a standard font as far as that has them", () => {
    const lodz = {
      name: "Jan Kowalski",
      street1: "ul. Piotrkowska 1",
      city: "Łódź",
      postalCode: "90-001",
      country: "PL",
    };
    expect(fieldsOf(lodz)).toEqual([
      { text: "Jan Kowalski", face: "Helvetica-Bold", scale: 1.15 },
      { text: "ul. Piotrkowska 1", face: "Helvetica", scale: 1 },
      { text: "90-001 Łódź", face: "Letters-Bold", scale: 1.15 },
      { text: "POLAND", face: "Helvetica-Bold", scale: 1.15 },
    ]);
  });

  test("a field of which nothing can be printed has a question mark, so that no line is missing", () => {
    const unknown = { name: "\ue000", street1: "\u007f", city: "\ue005", postalCode: "10115", country: "DE" };
    const texts = fieldsOf({ ...unknown, company: "\u200b", street2: "\u3164" }).map(({ text }) => text);
    expect(texts).toEqual(["?", "?", "10115 ?", "GERMANY"]);
    expect(fieldsOf({ ...moscow, name: "\ue000" }).map(({ text }) => text)[0]).toBe("?");
  });

  test("other letters have Latin ones below them, and no line is repeated", () => {
    expect(fieldsOf(moscow)).toEqual([
      { text: "Иван Щербаков", face: "Letters-Bold", scale: 1.15 },
      { text: "ул. Тверская, 7", face: "Letters", scale: 1 },
      { text: "Москва", face: "Letters-Bold", scale: 1.15 },
      { text: "125009", face: "Helvetica-Bold", scale: 1.15 },
      { text: "Ivan Shcherbakov", face: "Helvetica", scale: 0.72 },
      { text: "ul. Tverskaya, 7", face: "Helvetica", scale: 0.72 },
      { text: "Moskva", face: "Helvetica", scale: 0.72 },
      { text: "RUSSIA", face: "Helvetica-Bold", scale: 1.15 },
    ]);
  });

  test("a paragraph takes the place of the lines where there is little room", () => {
    const texts = fieldsOf(moscow, { emphasis: 1, beneath: "paragraph" }).map(({ text }) => text);
    expect(texts.slice(4)).toEqual(["Ivan Shcherbakov, ul. Tverskaya, 7, Moskva", "RUSSIA"]);
  });

  test("own letters are in the order of the country, Latin ones in that for letters from abroad", () => {
    const tokyo = {
      name: "山田",
      street1: "丸の内1",
      city: "千代田区",
      state: "東京都",
      postalCode: "100-8111",
      country: "JP",
    };
    const texts = fieldsOf(tokyo).map(({ text }) => text);
    expect(texts.slice(0, 4)).toEqual(["〒100-8111", "東京都千代田区", "丸の内1", "山田"]);
    expect(texts.slice(4)).toEqual(["ShanTian", "WannoNei1, QianDaiTianQu, DongJingDou", "JAPAN"]);
  });

  test("a postal address with more letters than a label embeds is only in Latin ones", () => {
    const texts = fieldsOf({ ...moscow, company: "محمد".repeat(70), country: "SA" }).map(({ text, face }) => ({
      text,
      face,
    }));
    expect(texts.every(({ face }) => face.startsWith("Helvetica"))).toBe(true);
    expect(texts.at(-1)?.text).toBe("SAUDI ARABIA");
    expect(fieldsOf({ ...moscow, company: "محمد".repeat(50) })[1]?.face).toBe("Letters");
  });
});

test("textFields has own letters first, Latin ones below", () => {
  expect(textFields("PO-1")).toEqual([{ text: "PO-1", face: "Helvetica-Bold", scale: 1 }]);
  expect(textFields("Łódź 1")).toEqual([{ text: "Łódź 1", face: "Letters-Bold", scale: 1 }]);
  // This letter has two characters in Unicode's normal form.
  expect(textFields("\u0958".repeat(200)).map(({ face }) => face)).toEqual(["Helvetica-Bold"]);
  expect(textFields("заказ 5")).toEqual([
    { text: "заказ 5", face: "Letters-Bold", scale: 1 },
    { text: "zakaz 5", face: "Helvetica-Bold", scale: 0.72 },
  ]);
});
