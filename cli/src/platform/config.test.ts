import { adminConfig } from "./config.js";

describe("adminConfig", () => {
  test.each([
    ["RECORDS_URL", "records:7001", "must be one or more URLs such as http://host:port"],
    ["API_URL", "localhost:8080", "must be one or more URLs such as http://host:port"],
    ["NATS_URL", "localhost:4222", "must be one or more URLs such as nats://host:port"],
  ])("refuses %s=%s: %s", (setting, value, problem) => {
    expect(() => adminConfig({ [setting]: value })).toThrow(`${setting}: ${problem}`);
  });
});
