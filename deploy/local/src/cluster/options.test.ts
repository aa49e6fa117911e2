import { clusterOptions } from "./options.js";

describe("clusterOptions", () => {
  test("has two of everything but tracking where nothing is said", () => {
    expect(clusterOptions([], 8080)).toEqual({
      replicas: { gateway: 2, records: 2, carrier: 2, tracking: 1, webhooks: 2 },
      port: 8080,
      sharedBuffersMb: 128,
      tls: false,
    });
  });

  test("takes a number for each part, the first gateway's port, PostgreSQL's cache, and certificates", () => {
    const args = ["--gateways", "3", "--tracking=2", "--port", "0", "--shared-buffers-mb", "4096", "--tls"];
    const { replicas, port, sharedBuffersMb, tls } = clusterOptions(args, 8080);
    expect([sharedBuffersMb, tls]).toEqual([4096, true]);
    expect(replicas).toEqual({ gateway: 3, records: 2, carrier: 2, tracking: 2, webhooks: 2 });
    expect(port).toBe(0);
  });

  test.each([
    [["--gateways", "0"], '--gateways takes a whole number from 1 to 99, not "0".'],
    [["--records", "two"], '--records takes a whole number from 1 to 99, not "two".'],
    [["--port", "70000"], '--port takes a whole number from 0 to 65535, not "70000".'],
    [["--shared-buffers-mb", "0"], '--shared-buffers-mb takes a whole number from 1 to 1000000, not "0".'],
    [["--gateway", "2"], "Unknown option '--gateway'"],
  ])("refuses %j with a sentence", (args, sentence) => {
    expect(() => clusterOptions(args, 8080)).toThrow(sentence);
  });
});
