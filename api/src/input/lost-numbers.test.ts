import fc from "fast-check";
import { findLostNumbers } from "./lost-numbers.js";

const placesOf = (text: string) => findLostNumbers(text).places;

describe("numbers that double precision does not keep", () => {
  test.each([
    ...["9007199254740993", "-9007199254740993", "12345678901234567001", "1e400", "-1e400", "1e-400", "2e-324"],
    ...["1e99999999999999999999", "1e-99999999999999999999", "1.7976931348623159e308"],
    ...[`0.${"0".repeat(400)}1`, `1${"0".repeat(400)}`],
  ])("%s is lost", (number) => {
    expect(placesOf(number)).toEqual([[]]);
    expect(placesOf(` {"a":[0, ${number} ]}\n`)).toEqual([["a", 1]]);
  });

  test.each([
    ...["-0", "0.000000000000000000000000", "0e-99999999999999999999", "-0.0E+400", "9007199254740992"],
    ...["100000000000000000000000", "4e-324", "1.7976931348623158e308", "9007199254740993.0", "900719925474099.3e1"],
    // These are 0.1 and 67.2 as other languages print them, with 17 digits or with all.
    ...["0.10000000000000001", "67.2000000000000028421709430404007434844970703125"],
    ...[`0.1${"0".repeat(60_000)}1`, `1${"0".repeat(300)}`, `0.${"0".repeat(300)}1`],
  ])("%s is kept", (number) => {
    expect(placesOf(number)).toEqual([]);
    expect(placesOf(`{"a":[${number}]}`)).toEqual([]);
    expect(placesOf(`{"a":[${number}, 1e400]}`)).toEqual([["a", 1]]);
  });

  test("every double is kept as JavaScript writes it, and with more zeros", () => {
    const double = fc.double({ noDefaultInfinity: true, noNaN: true });
    fc.assert(
      fc.property(double, (number) => {
        expect(placesOf(JSON.stringify([number]))).toEqual([]);
        const [mantissa = "", exponent] = number.toExponential().split("e");
        const padded = `${mantissa.includes(".") ? mantissa : `${mantissa}.`}000e${exponent}`;
        expect(placesOf(`[${padded}]`)).toEqual([]);
      }),
    );
  });

  test("an integer of any length is kept if and only if its double is that integer, or is written with its digits", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (integer) => {
        const double = Number(integer);
        const written = BigInt(double.toLocaleString("en", { useGrouping: false }));
        expect(placesOf(String(integer))).toEqual(integer === written || integer === BigInt(double) ? [] : [[]]);
        for (const kept of [written, BigInt(double)]) expect(placesOf(String(kept))).toEqual([]);
      }),
    );
  });

  test("a double is kept with any number of digits that lead to it", () => {
    const double = fc.double({ min: 1e-300, max: 1e300, noNaN: true });
    fc.assert(
      fc.property(double, fc.integer({ min: 16, max: 100 }), (number, digits) => {
        expect(placesOf(`[${number.toExponential(digits)}]`)).toEqual([]);
        expect(placesOf(`[${(number % 1e6).toFixed(digits)}1]`)).toEqual([]);
      }),
    );
  });
});

describe("the place of a lost number", () => {
  const LOST = "9007199254740993";

  test.each([
    [`{"a":${LOST}}`, [["a"]]],
    [`{"a":{"b":[1,{"c":${LOST}}]},"d":${LOST}}`, [["a", "b", 1, "c"], ["d"]]],
    [`[[],{},[${LOST}],"${LOST}"]`, [[2, 0]]],
    [`{"":${LOST},"a.b":${LOST},"__proto__":${LOST}}`, [[""], ["a.b"], ["__proto__"]]],
    [`{"a\\"[{\\\\":${LOST},"\\u0061":${LOST}}`, [['a"[{\\'], ["a"]]],
    [`{ "a" :\t${LOST}\r\n, "b" : true, "c":null,"d":false ,"e":${LOST} }`, [["a"], ["e"]]],
  ])("of %s", (text, places) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(placesOf(text)).toEqual(places);
  });

  test.each([
    `{"${LOST}":"${LOST}"}`,
    `{"a":"1e400, ${LOST}","b":"\\",${LOST}"}`,
    `{"a":${LOST},"a":1}`,
    `{"a":{"b":${LOST}},"a":{}}`,
    `{"a":[${LOST}],"\\u0061":null}`,
  ])("there is none in %s", (text) => {
    expect(placesOf(text)).toEqual([]);
  });

  test("of duplicate members is in the last one", () => {
    expect(placesOf(`{"a":1,"b":2,"a":{"c":${LOST}}}`)).toEqual([["a", "c"]]);
  });

  test("is found in any JSON, where a number is put", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.string(), (value, name) => {
        const text = JSON.stringify({ [name]: { in: [value, 0] } });
        const end = text.lastIndexOf("0]}}");
        expect(placesOf(text)).toEqual([]);
        expect(placesOf(`${text.slice(0, end)}1e-400]}}`)).toEqual([[name, "in", 1]]);
      }),
    );
  });

  test("is told of the first hundred; the others are counted, those that are sent again not", () => {
    const many = (count: number) => `[${Array(count).fill(LOST).join()}]`;
    expect(findLostNumbers(many(100))).toMatchObject({ places: { length: 100 }, more: 0 });
    const { places, more } = findLostNumbers(`{"a":${many(7)},"b":{"c":${many(150)}},"a":${many(30)}}`);
    expect([places[0], places[99]]).toEqual([
      ["b", "c", 0],
      ["b", "c", 99],
    ]);
    expect(more).toBe(80);
  });
});
