import { isFiltered, readFilter, toPath, toWanted } from "./filter.js";

const SHP = "shp_mfrggzdfmztwq2lknnwg23tpoa";
const read = (query: string) =>
  readFilter(new URLSearchParams(query), { kind: "shipments", now: new Date("2026-11-21T23:30:00Z") });

describe("the filter of a list", () => {
  test("is what the form sent, and asks the owner for whole days in UTC if no zone is named", () => {
    const filter = read(`q=+PO-1+&status=draft&from=2026-11-20&to=2026-11-21&after=${SHP}`);
    expect(filter).toEqual({
      text: "PO-1",
      status: "draft",
      from: "2026-11-20",
      to: "2026-11-21",
      zone: "UTC",
      country: "",
      failing: false,
      oldestFirst: false,
      size: 50,
      after: SHP,
    });
    expect(toWanted(filter)).toEqual({
      text: "PO-1",
      status: "draft",
      createdFrom: "2026-11-20T00:00:00.000Z",
      createdBefore: "2026-11-22T00:00:00.000Z",
      after: SHP,
      limit: 50,
    });
    expect(isFiltered(filter)).toBe(true);
  });

  test.each([
    "",
    "q=&status=&from=&to=",
    "q=%20%20&status=eaten&from=yesterday&to=2026-02-30",
    "from=0000-01-01&to=9999999-01-01&after=nothing",
    "from=2026-13-01&to=2026-1-1",
  ])("leaves out what is empty or makes no sense: %j", (query) => {
    const filter = read(query);
    expect([isFiltered(filter), toWanted(filter), toPath("/list", filter)]).toEqual([false, { limit: 50 }, "/list"]);
  });

  test("until the last day of four-digit years is until the end of time, for no owner knows the day after", () => {
    const filter = read("from=9999-12-31&to=9999-12-31");
    expect(toWanted(filter)).toEqual({ createdFrom: "9999-12-31T00:00:00.000Z", limit: 50 });
    expect(toWanted(read("to=9999-12-30"))).toEqual({ createdBefore: "9999-12-31T00:00:00.000Z", limit: 50 });
    expect([isFiltered(filter), toPath("/list", filter)]).toEqual([
      true,
      "/list?from=9999-12-31&to=9999-12-31&zone=UTC",
    ]);
  });

  test("asks for whole days of the reader's zone, those on which clocks change included", () => {
    const filter = read("from=2026-03-29&to=2026-03-29&zone=Europe/Berlin");
    expect(toWanted(filter)).toEqual({
      createdFrom: "2026-03-28T23:00:00.000Z",
      createdBefore: "2026-03-29T22:00:00.000Z",
      limit: 50,
    });
    expect(toPath("/list", filter)).toBe("/list?from=2026-03-29&to=2026-03-29&zone=Europe%2FBerlin");
  });

  test("names today and yesterday of the reader's zone, in which it may be another day than in UTC", () => {
    const days = (query: string) => {
      const { from, to, zone } = read(query);
      return [from, to, zone];
    };
    expect(days("day=today&zone=Europe/Berlin")).toEqual(["2026-11-22", "2026-11-22", "Europe/Berlin"]);
    expect(days("day=yesterday&zone=Europe/Berlin")).toEqual(["2026-11-21", "2026-11-21", "Europe/Berlin"]);
    expect(days("day=today")).toEqual(["2026-11-21", "2026-11-21", "UTC"]);
    expect(days("day=toString&from=2026-11-01")).toEqual(["2026-11-01", "", "UTC"]);
  });

  test("has pages of 25, 50 or 100", () => {
    expect([25, 50, 100, 7].map((size) => toPath("/list", read(`size=${size}`)))).toEqual([
      ...["/list?size=25", "/list", "/list?size=100", "/list"],
    ]);
  });

  test("leads to the next page with itself", () => {
    expect(toPath("/list", read("q=a%26b&status=voided&to=2026-11-21"))).toBe(
      "/list?q=a%26b&status=voided&to=2026-11-21&zone=UTC",
    );
  });

  test("a country, failing deliveries and the order are asked of the owner; a text is found newest first, and without failing ones", () => {
    const filter = read("country=FR&failing=1&order=oldest");
    expect(toWanted(filter)).toEqual({ country: "FR", failing: true, oldestFirst: true, limit: 50 });
    expect(toPath("/list", filter)).toBe("/list?country=FR&failing=1&order=oldest");
    expect(toWanted(read("q=po&country=FR&failing=1&order=oldest"))).toEqual({ text: "po", country: "FR", limit: 50 });
    expect(toWanted(read("country=fr&failing=yes&order=newest"))).toEqual({ limit: 50 });
  });
});
