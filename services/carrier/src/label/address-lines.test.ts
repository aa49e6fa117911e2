import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { addressLines, type Script } from "@shipping/kit/postal/address-lines";
import { countryName } from "@shipping/kit/postal/country-name";
import { runs } from "@shipping/kit/testing/runs";
import { AddressSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import fc from "fast-check";
import { matrixText } from "./barcode.js";
import { isWinAnsi } from "./letters/standard-font.js";

type Init = MessageInitShape<typeof AddressSchema>;

const trimmed = (text: string) => text.trim();

function linesOf(address: Init, order: Script = "local") {
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

  const to = (country: string, city: string, postalCode: string, others: Init = {}) =>
    ({ ...person, city, postalCode, country, ...others }) as Init;
  const tokyo = { name: "T. Yamada", street1: "1-1 Marunouchi", state: "Tokyo" };
  const marunouchi = { name: "山田太郎", street1: "丸の内1-1", state: "東京都" };
  const beijing = { name: "王小明", street1: "长安街1号" };

  test.each<[Init, string, Script?]>([
    [to("HU", "Budapest", "1054"), "N. Ame|Budapest|Street 1|1054|HUNGARY"],
    // The company stands above the name, in Germany according to DIN 5008.
    [to("FR", "Paris", "75002", { company: "SARL", street2: "B" }), "SARL|N. Ame|Street 1|B|75002 Paris|FRANCE"],
    [to("DE", "Köln", "51147", { company: "Firma" }), "Firma|N. Ame|Street 1|51147 Köln|GERMANY"],
    // The largest comes first, and last in letters from abroad.
    [to("JP", "千代田区", "100-8111", marunouchi), "〒100-8111|東京都千代田区|丸の内1-1|山田太郎|JAPAN"],
    [to("JP", "Chiyoda", "100-8111", tokyo), "T. Yamada|1-1 Marunouchi, Chiyoda, Tokyo|100-8111|JAPAN", "latin"],
    [
      to("JP", "Chiyoda", "100-8111", { ...tokyo, street2: "Floor 12" }),
      "T. Yamada|1-1 Marunouchi|Floor 12|Chiyoda, Tokyo|100-8111|JAPAN",
      "latin",
    ],
    [to("CN", "北京市", "100000", { ...beijing, state: "北京" }), "100000|北京北京市|长安街1号|王小明|CHINA"],
    [to("CN", "北京市", "100000", { ...beijing, state: "Beijing" }), "100000|Beijing 北京市|长安街1号|王小明|CHINA"],
    // A field without a place in the layout joins the town.
    [to("DE", "Köln", "51147", { state: "NRW" }), "N. Ame|Street 1|51147 Köln, NRW|GERMANY"],
    [to("AE", "Dubai", "00000", { state: "Dubai" }), "N. Ame|Street 1|Dubai|UNITED ARAB EMIRATES"],
    [to("MO", "Taipa", "999078"), "N. Ame|Street 1|Taipa 999078|MACAO", "latin"],
    // A name that two fields share is printed once.
    [to("DE", "Berlin", "10115", { state: "BERLIN" }), "N. Ame|Street 1|10115 Berlin|GERMANY"],
    [to("DE", "Berlin", "10115", { state: "BE" }), "N. Ame|Street 1|10115 Berlin, BE|GERMANY"],
    [to("SG", "Singapore", "018956"), "N. Ame|Street 1|SINGAPORE 018956|SINGAPORE"],
    [to("SE", "Stockholm", "11455"), "N. Ame|Street 1|SE-11455 Stockholm|SWEDEN"],
    [to("SE", "Stockholm", "SE-11455"), "N. Ame|Street 1|SE-11455 Stockholm|SWEDEN"],
    // A field without printable letters is left out, with the text around it.
    [to("US", "Portland", "97205", { state: " " }), "N. Ame|Street 1|Portland 97205|UNITED STATES"],
  ])("%j: %s", (address, lines, order = "local") => {
    expect(linesOf(address, order).join("|")).toBe(lines);
  });

  test.each<[Init, string[]]>([
    [to("DE", "Köln", "51147", { company: "Firma" }), ["N. Ame", "51147 Köln", "GERMANY"]],
    [to("GB", "London", "SW1A 1AA"), ["N. Ame", "London", "SW1A 1AA", "UNITED KINGDOM"]],
  ])("name, town, postal code and country stand out: %j", (address, expected) => {
    const lines = addressLines(create(AddressSchema, address), "local", trimmed);
    expect(lines.filter(({ strong }) => strong).map(({ text }) => text)).toEqual(expected);
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
      fc.property(fc.record(fields), country, fc.constantFrom<Script>("local", "latin"), (address, code, order) => {
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
