import { renderToString } from "preact-render-to-string";
import { getRetrySeconds, Retry } from "./part.js";

test("a page of which something is missing is loaded again, until the reader stops it", () => {
  expect(getRetrySeconds("/list?q=a")).toBe(10);
  expect(renderToString(Retry({ url: "/list?q=a" }))).toContain('<a href="/list?q=a&amp;refresh=off">stop trying</a>');
  expect(getRetrySeconds("/list?q=a&refresh=off")).toBeUndefined();
  expect(renderToString(Retry({ url: "/list?q=a&refresh=off" }))).toBe('<a href="/list?q=a">Try again</a>');
});
