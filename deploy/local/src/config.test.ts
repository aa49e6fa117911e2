import type * as Parts from "@shipping/proto/parts";
import { localConfig } from "./config.js";

describe("localConfig", () => {
  test("accepts the log levels of the parts", () => {
    expect(localConfig({ LOG_LEVEL: "fatal" }).LOG_LEVEL).toBe("fatal");
    expect(localConfig({ LOG_LEVEL: "" }).LOG_LEVEL).toBe("warn");
  });

  test("the public port and the databases are those that the parts declare", async () => {
    const declared = jest.requireActual<typeof Parts>("@shipping/proto/parts");
    const gateway = { ...declared.PARTS.gateway, ports: { ...declared.PARTS.gateway.ports, http: 8181 } };
    jest.doMock("@shipping/proto/parts", () => ({
      ...declared,
      PARTS: { ...declared.PARTS, gateway, parcels: declared.PARTS.tracking },
      DATABASE_OWNERS: [...declared.DATABASE_OWNERS, "parcels"],
    }));
    await jest.isolateModulesAsync(async () => {
      const changed = await import("./config.js");
      const given = changed.localConfig({ DATABASE_URL_PARCELS: "postgresql://a/b" });
      expect(given).toMatchObject({ PORT: 8181, DATABASE_URL_PARCELS: "postgresql://a/b" });
    });
    jest.dontMock("@shipping/proto/parts");
    expect(localConfig().PORT).toBe(declared.PARTS.gateway.ports.http);
  });

  test("refuses the former switch of the developer area in one line that says what replaces it", () => {
    const refusal = /^DEVELOPER_AREA is no longer a setting: the chart's parts.portal.enabled replaces it$/;
    expect(() => localConfig({ DEVELOPER_AREA: "false" })).toThrow(refusal);
  });

  test("refuses a database URL with several hosts, as the parts do", () => {
    expect(() => localConfig({ DATABASE_URL_RECORDS: "postgresql://a,b/d" })).toThrow(
      "DATABASE_URL_RECORDS: must name one host",
    );
  });

  test("refuses a NATS_URL that the parts refuse, because its parameters would have no effect", () => {
    expect(localConfig({ NATS_URL: "nats://a:4222,tls://b" }).NATS_URL).toBe("nats://a:4222,tls://b");
    for (const NATS_URL of ["nats://a:4222?tls=true", "a:4222", "TLS://a"])
      expect(() => localConfig({ NATS_URL })).toThrow("NATS_URL: must");
  });
});
