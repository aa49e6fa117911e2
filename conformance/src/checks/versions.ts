import type { Check } from "../check.js";
import { given, must, mustBe, NotApplicable } from "../judge.js";

export const versionChecks: readonly Check[] = [
  {
    id: "version.base-path",
    proves: [
      "Base address: `{base_url}` (the versioned root of the service, ending in `/api/v1`).",
      "All paths below are relative to it.",
      "The version is `v1`, carried in the base path `/api/v1`",
    ],
    async run({ baseUrl, fixtures }) {
      given(await fixtures.account());
      must(new URL(baseUrl).pathname.endsWith("/api/v1"), "the path of the base URL does not end in /api/v1");
    },
  },
  {
    id: "version.description",
    proves: ["the machine-readable description is versioned `1.0.0`."],
    async run({ fixtures }) {
      const { status, json } = await fixtures.description();
      if (status !== 200 || typeof json?.openapi !== "string")
        throw new NotApplicable(
          "there is no OpenAPI document at /openapi.json, and the specification does not say where the description is",
        );
      mustBe(json.info?.version, "1.0.0", "the version of the description");
    },
  },
];
