import { availableParallelism } from "node:os";

// Run by `npm test` anywhere in the repository: the tests below the folder it was started in.
const esmOnlyPackages = [
  "@prisma/schema-engine-wasm",
  "any-ascii",
  // The condition `source` leads to TypeScript.
  "eventsource",
  "eventsource-parser",
  "get-port",
  "jose",
  "oauth4webapi",
  "openid-client",
  "sql-template-tag",
];

// Jest has no `import()`, which the exporter of traces calls.
const importingPackages = ["@opentelemetry/otlp-exporter-base"];

/** How a file is compiled; `jsx` where its name says that it holds some. */
const swc = (jsx) => [
  "@swc/jest",
  {
    jsc: {
      parser: { syntax: "typescript", tsx: jsx },
      transform: { react: { runtime: "automatic", importSource: "preact" } },
      target: "es2022",
    },
    module: { type: "commonjs" },
    sourceMaps: "inline",
  },
];

// biome-ignore lint/style/noDefaultExport: Jest reads its configuration from the default export.
export default {
  roots: [process.cwd()],
  testMatch: ["**/*.test.ts"],
  modulePathIgnorePatterns: ["/dist/"],
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  transform: { "\\.[cm]?[jt]s$": swc(false), "\\.tsx$": swc(true) },
  transformIgnorePatterns: [
    `/node_modules/(?!(${[...esmOnlyPackages, ...importingPackages].join("|")})/|@prisma/client/runtime/.*\\.mjs)`,
  ],
  testSequencer: "<rootDir>/test/platform/jest/sharing-first.cjs",
  testEnvironmentOptions: { customExportConditions: ["source", "node", "require", "default"] },
  // `TEST_REPORTS=FOLDER` also leaves there what was found, for a program: `.ci/run` counts it.
  reporters: ["default", ...(process.env.TEST_REPORTS ? ["<rootDir>/test/platform/jest/report-file.cjs"] : [])],
  globalSetup: "<rootDir>/test/platform/jest/global-setup.ts",
  globalTeardown: "<rootDir>/test/platform/jest/global-teardown.ts",
  // The first file of a worker waits for the platform that it shares; a busy machine takes its time.
  testTimeout: 360_000,
  // Most tests wait for servers and processes more than they compute.
  maxWorkers: Math.min(3 * availableParallelism(), 8),
  // Jest keeps some megabytes of each file that a worker has run.
  workerIdleMemoryLimit: "1GB",
};
