const { randomUUID } = require("node:crypto");
const { writeFileSync } = require("node:fs");
const { join } = require("node:path");

const folder = process.env.TEST_REPORTS;
// A Jest that a test starts is part of that test.
delete process.env.TEST_REPORTS;

/**
 * A reporter that writes the results of a run into the folder `TEST_REPORTS`, as `{ passed, failed, reasons }`. A file of tests that did not run
 * counts as one failure.
 */
module.exports = class ReportFile {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults }) {
    const reasons = testResults.flatMap(({ testFilePath, testExecError, failureMessage, testResults: tests }) =>
      testExecError
        ? [`${testFilePath}: ${failureMessage}`]
        : tests
            .filter(({ status }) => status === "failed")
            .map(({ fullName, failureMessages }) => `${testFilePath}: ${fullName}\n${failureMessages.join("\n")}`),
    );
    const report = { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites, reasons };
    writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(report));
  }
};
