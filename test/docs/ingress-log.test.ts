import { readFileSync } from "node:fs";
import { parse } from "yaml";

const page = readFileSync(new URL("../../docs/operations/install.md", import.meta.url), "utf8");
const [, yaml = ""] = /```yaml shown\n(controller:[\s\S]*?)```/.exec(page) ?? [];
const config = parse(yaml).controller.config as Record<string, string>;
const rules = [...(config["http-snippet"] ?? "").matchAll(/"~(\S+)" (\S+);/g)];

/** The value that nginx maps a URL to with the documented map: the first matching pattern decides. */
function logged(uri: string): string | undefined {
  const [, pattern = "", text] = rules.find(([, pattern = ""]) => new RegExp(pattern).test(uri)) ?? [];
  return text === "$path_only" ? new RegExp(pattern).exec(uri)?.groups?.path_only : text;
}

test.each([
  ["a code of the provider", "/developers/sign-in/callback?code=secret&state=b", "/developers/sign-in/callback"],
  ["what somebody searches for", "/developers/live/search?q=Ada", "/developers/live/search"],
])("the documented log of an Ingress does not have %s", (_what, uri, expected) => {
  expect(logged(uri)).toBe(expected);
  expect(config["log-format-upstream"]).not.toMatch(/\$(?:request|request_uri|args|http_referer)\b/);
});
