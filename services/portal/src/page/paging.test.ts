import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { Paging } from "./paging.js";

const id = (letter: string) => `shp_${letter.repeat(25)}a`;

/** The links of a page whose last row has the ID `next`, by their `rel`. */
function linksOf(url: string, next: string | undefined = undefined): Record<string, string> {
  const { searchParams } = new URL(url, "http://portal");
  const after = searchParams.get("after") ?? undefined;
  const html = renderToString(h(Paging, { path: "/shipments?size=25", query: searchParams, after, next }));
  const links = [...html.matchAll(/<a href="([^"]+)" rel="(\w+)"/g)];
  return Object.fromEntries(links.map(([, href = "", rel]) => [rel, href.replaceAll("&amp;", "&")]));
}

test("each page leads to the one before it, with the list's other parameters, back to the first", () => {
  expect(linksOf("/shipments?size=25")).toEqual({});
  const urls = ["/shipments?size=25"];
  for (const letter of ["b", "c", "d"]) urls.push(linksOf(urls.at(-1)!, id(letter)).next!);
  expect(linksOf(urls[3]!)).toEqual({ first: urls[0], prev: urls[2] });
  expect(linksOf(urls[2]!)).toEqual({ first: urls[0], prev: urls[1] });
  expect(linksOf(urls[1]!)).toEqual({ prev: urls[0] });
});

test("a page far back knows the sixty before it, and one whose way is unknown leads to the first", () => {
  let url = "/shipments?size=25";
  for (let page = 0; page < 70; page++) url = linksOf(url, id("b")).next!;
  expect(url.length).toBeLessThan(2_200);
  for (let page = 0; page < 60; page++) url = linksOf(url).prev!;
  expect(linksOf(url)).toEqual({ first: "/shipments?size=25" });
  expect(linksOf(`/shipments?size=25&after=${id("b")}&back=javascript:alert(1).${"x".repeat(99)}`)).toEqual({
    first: "/shipments?size=25",
  });
});
