import { ConfigError, readConfig } from "@shipping/kit/process/config";
import { carrierSettings } from "./config.js";

const needed = {
  DATABASE_URL: "postgres://localhost/carrier",
  NATS_URL: "nats://localhost",
  RECORDS_URL: "http://localhost:1",
  TRACKING_URL: "http://localhost:2",
  WEBHOOKS_URL: "http://localhost:3",
};
const trial = {
  TRIAL_CARRIER_MODULE: "adapter.js",
  TRIAL_CARRIER_URL: "http://localhost:4?keys=ignored",
  TRIAL_CARRIER_ACCOUNT: "acc_1",
};

describe("a carrier for trials", () => {
  test("is absent unless the settings name one", () => {
    expect(readConfig(carrierSettings, needed).TRIAL_CARRIER_MODULE).toBeUndefined();
    expect(readConfig(carrierSettings, { ...needed, ...trial })).toMatchObject(trial);
  });

  test.each(Object.keys(trial))("is refused in production, where not even %s may be set", (key) => {
    const env = { ...needed, [key]: trial[key as keyof typeof trial], NODE_ENV: "production" };
    expect(() => readConfig(carrierSettings, env)).toThrow(`${key}: is refused in production`);
  });

  test.each(Object.keys(trial))("is refused without %s", (key) => {
    const { [key]: _, ...rest } = { ...needed, ...trial } as Record<string, string>;
    expect(() => readConfig(carrierSettings, rest)).toThrow(ConfigError);
  });
});
