import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { runs } from "@shipping/kit/testing/runs";
import { AddressSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import fc from "fast-check";
import { addressLines, type Order } from "./address-lines.js";
import { matrixText } from "./barcode.js";
import { countryName } from "./country-name.js";
import { isWinAnsi } from "./letters/standard-font.js";

type Init = MessageInitShape<typeof AddressSchema>;

const trimmed = (text: string) => text.trim();

function linesOf(address: Init, order: Order = "local") {
  return addressLines(create(AddressSchema, address), order, trimmed).map(({ text }) => text);
}

const person = { name: "N. Ame", street1: "Street 1" };

describe("addressLines", () => {
  test.each<[string, Init, string[]]>([
    ["US", { city: "Portland", state: "OR", postalCode: "97205" }, ["Portland, OR 97205", "UNITED STATES"]],
    ["GB", { city: "London", postalCode: "SW1A 1AA" }, ["London", "SW1A 1AA", "UNITED KINGDOM"]],
    ["DE", { city: "Köln", postalCode: "51147" }, ["51147 Köln", "GERMANY"]],
    ["FR", { city: "Paris", postalCode: "75002" }, ["75002 Paris", "FRANCE"]],
    ["IT", { city: "Milano", state: "MI", postalCode: "20121" }, ["20121 Milano MI", "ITALY"]],
    ["BR", { city: "São Paulo", state: "SP", postalCode: "01310-100" }, ["São Paulo-SP", "01310-100", "BRAZIL"]],
    ["IN", { city: "Mumbai", state: "MH", postalCode: "400001" }, ["Mumbai 400001", "MH", "INDIA"]],
    ["AU", { city: "Sydney", state: "NSW", postalCode: "2000" }, ["Sydney NSW 2000", "AUSTRALIA"]],
    ["IL", { city: "Tel Aviv", postalCode: "6100000" }, ["Tel Aviv 6100000", "ISRAEL"]],
    ["RU", { city: "Tomsk", state: "Tomskaya", postalCode: "634009" }, ["Tomsk", "Tomskaya", "634009", "RUSSIA"]],
    ["QQ", { city: "Town", state: "S", postalCode: "1" }, ["Town, S 1", "QQ"]],
  ])("to %s: %j", (country, town, expected) => {
    expect(linesOf({ ...person, ...town, country })).toEqual(["N. Ame", "Street 1", ...expected]);
  });

  test("in Hungary the town is above the street", () => {
    const address = { ...person, city: "Budapest", postalCode: "1054", country: "HU" };
    expect(linesOf(address)).toEqual(["N. Ame", "Budapest", "Street 1", "1054", "HUNGARY"]);
  });

  test("in France the company is above the name", () => {
    const address = {
      ...person,
      company: "SARL",
      street2: "Bât. B",
      city: "Paris",
      postalCode: "75002",
      country: "FR",
    };
    expect(linesOf(address).slice(0, 4)).toEqual(["SARL", "N. Ame", "Street 1", "Bât. B"]);
  });

  test("in Japan and China the largest comes first, and last in letters from abroad", () => {
    const tokyo = { name: "山田太郎", street1: "丸の内1-1", city: "千代田区", state: "東京都", postalCode: "100-8111" };
    expect(linesOf({ ...tokyo, country: "JP" })).toEqual([
      "〒100-8111",
      "東京都千代田区",
      "丸の内1-1",
      "山田太郎",
      "JAPAN",
    ]);
    const latin = {
      name: "T. Yamada",
      street1: "1-1 Marunouchi",
      city: "Chiyoda-ku",
      state: "Tokyo",
      postalCode: "100-8111",
    };
    expect(linesOf({ ...latin, country: "JP" }, "latin")).toEqual([
      ...["T. Yamada", "1-1 Marunouchi, Chiyoda-ku, Tokyo", "100-8111", "JAPAN"],
    ]);
    expect(linesOf({ ...latin, street2: "Floor 12", country: "JP" }, "latin")).toEqual([
      ...["T. Yamada", "1-1 Marunouchi", "Floor 12", "Chiyoda-ku, Tokyo", "100-8111", "JAPAN"],
    ]);
    const beijing = {
      name: "王小明",
      street1: "长安街1号",
      city: "北京市",
      state: "北京",
      postalCode: "100000",
      country: "CN",
    };
    expect(linesOf(beijing)).toEqual(["100000", "北京北京市", "长安街1号", "王小明", "CHINA"]);
    expect(linesOf({ ...beijing, state: "Beijing" })[1]).toBe("Beijing 北京市");
  });

  test("fields without a place in the country's layout join the town", () => {
    expect(linesOf({ ...person, city: "Köln", state: "NRW", postalCode: "51147", country: "DE" })).toContain(
      "51147 Köln, NRW",
    );
    const dubai = { ...person, city: "Dubai", state: "Dubai", postalCode: "00000", country: "AE" };
    expect(linesOf(dubai)).toEqual(["N. Ame", "Street 1", "Dubai", "UNITED ARAB EMIRATES"]);
    const macao = { ...person, city: "Taipa", postalCode: "999078", country: "MO" };
    expect(linesOf(macao, "latin")).toEqual(["N. Ame", "Street 1", "Taipa 999078", "MACAO"]);
  });

  test("in Germany the company is above the name (DIN 5008), and the name stands out", () => {
    const address = { ...person, company: "Firma GmbH", city: "Köln", postalCode: "51147", country: "DE" };
    expect(linesOf(address)).toEqual(["Firma GmbH", "N. Ame", "Street 1", "51147 Köln", "GERMANY"]);
    const lines = addressLines(create(AddressSchema, address), "local", trimmed);
    expect(lines.filter(({ strong }) => strong).map(({ text }) => text)).toEqual(["N. Ame", "51147 Köln", "GERMANY"]);
  });

  test("a town that has the name of its state is on the label once", () => {
    const berlin = { ...person, city: "Berlin", state: "BERLIN", postalCode: "10115", country: "DE" };
    expect(linesOf(berlin)).toEqual(["N. Ame", "Street 1", "10115 Berlin", "GERMANY"]);
    expect(linesOf({ ...berlin, state: "BE" })).toContain("10115 Berlin, BE");
  });

  test.each(["-", "--", "0", "00000", " 000 ", "N/A", "n/a", "NA"])(
    "%j as the postal code of a country without codes is not on the label, nor in the 2D code",
    (postalCode) => {
      const doha = create(AddressSchema, { ...person, city: "Doha", postalCode, country: "QA" });
      expect(linesOf(doha)).toEqual(["N. Ame", "Street 1", "Doha", "QATAR"]);
      expect(matrixText("TEST1", doha)).toBe("TEST1|QA|");
      expect(linesOf({ ...doha, postalCode: "999077", country: "HK" }).join(" ")).toContain("999077");
      expect(linesOf({ ...doha, country: "DE" }).join(" ")).toContain(postalCode.trim());
    },
  );

  test("text that the layout prints by itself appears once", () => {
    expect(linesOf({ ...person, city: "Singapore", postalCode: "018956", country: "SG" })).toEqual([
      ...["N. Ame", "Street 1", "SINGAPORE 018956", "SINGAPORE"],
    ]);
    for (const postalCode of ["11455", "SE-11455"]) {
      expect(linesOf({ ...person, city: "Stockholm", postalCode, country: "SE" })).toContain("SE-11455 Stockholm");
    }
  });

  test("name, town and postal code stand out", () => {
    const address = create(AddressSchema, { ...person, city: "London", postalCode: "SW1A 1AA", country: "GB" });
    const strong = addressLines(address, "local", trimmed).filter((line) => line.strong);
    expect(strong.map(({ text }) => text)).toEqual(["N. Ame", "London", "SW1A 1AA", "UNITED KINGDOM"]);
  });

  test("a field without printable letters is left out, with the text around it", () => {
    expect(linesOf({ ...person, city: "Portland", state: " ", postalCode: "97205", country: "US" })).toContain(
      "Portland 97205",
    );
  });

  test("in every country, whatever the fields contain, each is on a line, and none is read as an instruction", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).map((body) => `<${body.trim()}%N$&>`);
    const letter = fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const country = fc.tuple(letter, letter).map((letters) => letters.join(""));
    const fields = {
      name: text,
      street1: text,
      city: text,
      postalCode: text,
      company: text,
      street2: text,
      state: text,
    };
    fc.assert(
      fc.property(fc.record(fields), country, fc.constantFrom<Order>("local", "latin"), (address, code, order) => {
        const lines = linesOf({ ...address, country: code }, order);
        const missing = Object.values(address).filter((value) => !lines.some((line) => line.includes(value)));
        expect(missing).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe("countryName", () => {
  test.each([
    ["DE", "GERMANY"],
    ["US", "UNITED STATES"],
    ["GB", "UNITED KINGDOM"],
    ["KR", "SOUTH KOREA"],
    ["AE", "UNITED ARAB EMIRATES"],
    ["HK", "HONG KONG"],
    ["XK", "KOSOVO"],
    ["AX", "ÅLAND ISLANDS"],
    ["JE", "JERSEY"],
    ["GG", "GUERNSEY"],
    ["IM", "ISLE OF MAN"],
    ["CW", "CURAÇAO"],
    ["RS", "SERBIA"],
    ["CD", "DEMOCRATIC REPUBLIC OF THE CONGO"],
  ])("%s is %s", (code, name) => {
    expect(countryName(code)).toBe(name);
  });

  test.each([
    ...["QQ", "XA", "ZZ", "AA", "WW", "EU", "UN", "QO", "UK"],
    ...["AN", "YU", "CS", "SU", "ZR", "BU", "DD", "FX", "TP", "DY", "HV", "NH", "RH", "VD", "YD"],
  ])("%s is unassigned, reserved or withdrawn, and stays a code, in the lines and in the 2D code", (code) => {
    expect(countryName(code)).toBe(code);
    const address = create(AddressSchema, { ...person, city: "Town", postalCode: "1 AA", country: code });
    expect(linesOf(address)).toEqual(["N. Ame", "Street 1", "Town 1 AA", code]);
    expect(matrixText("TEST1", address)).toBe(`TEST1|${code}|1 AA`);
  });

  test("249 codes of ISO 3166-1 and five additional ones have a name", () => {
    const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const codes = letters.flatMap((first) => letters.map((second) => first + second));
    expect(codes.filter((code) => countryName(code) !== code)).toHaveLength(249 + 5);
  });

  test("every name is one that a label can print", () => {
    const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const all = letters.flatMap((first) => letters.map((second) => countryName(first + second)));
    expect(all.filter((name) => !isWinAnsi(name) || /[a-z]/.test(name))).toEqual([]);
  });
});
