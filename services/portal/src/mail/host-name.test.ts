import { domainToASCII } from "node:url";
import { showEmail, showHost, showUrl } from "./host-name.js";

test.each([
  ["shop.example.com", "shop.example.com"],
  ["bücher.example", "bücher.example"],
  ["пример.example", "пример.example"],
  ["例え.example", "例え.example"],
  ["تجربة.example", "تجربة.example"],
  // Cyrillic letters that look like "apple", and one in a Latin word.
  ["аррӏе.com", "аррӏе.com (xn--80ak6aa92e.com)"],
  ["pаypal.com", "pаypal.com (xn--pypal-4ve.com)"],
  ["127.0.0.1", "127.0.0.1"],
])("%s is shown as %s", (host, shown) => {
  expect(showHost(domainToASCII(host))).toBe(shown);
});

test("ports, paths and local parts stay as they are", () => {
  expect(showHost("xn--bcher-kva.example:8443")).toBe("bücher.example:8443");
  expect(showUrl("https://xn--bcher-kva.example/hooks?a=b")).toBe("https://bücher.example/hooks?a=b");
  expect(showUrl("https://xn--80ak6aa92e.com/hooks")).toBe("https://аррӏе.com/hooks (xn--80ak6aa92e.com)");
  expect(showUrl("https://shop.example.com/xn--a")).toBe("https://shop.example.com/xn--a");
  expect(showEmail("ada@xn--bcher-kva.example")).toBe("ada@bücher.example");
  expect(showEmail("ada@example.com")).toBe("ada@example.com");
});
