/** Tests below `test` that no part's list must name, each with the reason. */
export const WHOLE_PLATFORM: Record<string, string> = {
  "test/browser/": "needs Chromium: `npm run test:checks`",
  "test/chart/": "needs helm and other tools: `npm run test:checks`",
  "test/client/": "is about the package client",
  "test/commands/": "is about the programs of the root's package.json",
  "test/developers/many-rows.check.ts": "takes minutes: `npm run test:checks`",
  "test/developers/spreadsheets/": "needs LibreOffice: `npm run test:checks`",
  "test/docs/": "is about the guides and the reference, which the packages api and site own",
  "test/flows/": "starts every part as processes: a pull request runs the flows beside the tests of its part",
  "test/openapi/": "is about the OpenAPI document, which the package api owns",
  "test/platform/": "is about the platform that tests start and share",
  "test/python/": "needs Python: `npm run test:checks`",
  "test/receivers/frameworks.check.ts": "needs frameworks of npm, Maven and Debian: `npm run test:checks`",
  "test/tree/": "is run with every part",
  "test/trials/": "is about the trials",
  "test/vectors/standard-webhooks.check.ts": "needs packages of other languages: `npm run test:checks`",
};
