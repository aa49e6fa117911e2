import { isDeliberate } from "./origin.js";

test.each([
  [undefined, undefined, true],
  ["document", "none", true],
  ["document", "same-origin", true],
  ["document", "cross-site", false],
  ["document", "same-site", false],
  ["image", "same-origin", false],
  ["empty", "same-origin", false],
])("a request for %p from %p was made by somebody themselves: %p", (target, site, expected) => {
  const headersDistinct = {
    ...(target && { "sec-fetch-dest": [target] }),
    ...(site && { "sec-fetch-site": [site] }),
  };
  expect(isDeliberate({ headersDistinct })).toBe(expected);
});
