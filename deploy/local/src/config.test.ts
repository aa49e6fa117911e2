import { localConfig } from "./config.js";

describe("localConfig", () => {
  test("takes the log levels of the parts", () => {
    expect(localConfig({ LOG_LEVEL: "fatal" }).LOG_LEVEL).toBe("fatal");
    expect(localConfig({ LOG_LEVEL: "" }).LOG_LEVEL).toBe("warn");
  });

  test("refuses a database URL with several hosts, as the parts do", () => {
    expect(() => localConfig({ DATABASE_URL_RECORDS: "postgresql://a,b/d" })).toThrow(
      "DATABASE_URL_RECORDS: must name one host",
    );
  });
});
