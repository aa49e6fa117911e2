import { fileURLToPath } from "node:url";
import config from "../../../../jest.config.mjs";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const own = "<rootDir>/test/trials/mutants/jest";

// biome-ignore lint/style/noDefaultExport: Jest reads its configuration from the default export.
export default {
  ...config,
  rootDir: root,
  roots: [root],
  moduleNameMapper: { ...config.moduleNameMapper, "^sql-template-tag$": `${own}/sql-tag.cjs` },
  transform: Object.fromEntries(
    Object.entries(config.transform).map(([files, [, options]]) => [files, [`${own}/transform.cjs`, options]]),
  ),
  // Hundreds of schedules take longer than all other tests of a room.
  testPathIgnorePatterns: ["/node_modules/", "-schedules\\.test"],
  runner: `${own}/runner.cjs`,
  testEnvironment: `${own}/environment.cjs`,
  reporters: [],
};
