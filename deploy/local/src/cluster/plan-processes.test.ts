import { existsSync } from "node:fs";
import type { TlsFiles } from "@shipping/kit/tls/tls";
import { PART_NAMES, PARTS, type PartName } from "@shipping/proto/parts";
import { mapParts } from "../parts.js";
import { newBusPasswords } from "../servers/bus-users.js";
import { planProcesses } from "./plan-processes.js";

const noProcesses = Object.fromEntries(PART_NAMES.map((part) => [part, []])) as unknown as Record<PartName, never[]>;
const options: Parameters<typeof planProcesses>[0] = {
  host: "127.0.0.1",
  ports: {
    ...noProcesses,
    gateway: [
      { http: 8080, rpc: 21, ops: 11 },
      { http: 8081, rpc: 22, ops: 12 },
    ],
    portal: [{ http: 8082, rpc: 23, ops: 13 }],
    records: [
      { rpc: 1, ops: 14 },
      { rpc: 2, ops: 15 },
    ],
    carrier: [{ rpc: 3, ops: 16 }],
    tracking: [{ rpc: 4, ops: 17 }],
    webhooks: [{ rpc: 5, ops: 18 }],
  },
  databaseUrls: mapParts((part) => `pg:${part}`),
  bus: {
    url: "nats://127.0.0.1:9",
    passwords: { ...newBusPasswords(), records: "pr" },
    replicas: 3,
  },
  secretsKeys: "local:made",
  env: { PATH: "/bin", CLOCK_SPEEDUP: "60", PORT: "1", SECRETS_KEYS: "given:key", SMTP_URL: "smtp://mail" },
};
const plan = planProcesses(options);
const withMcp = {
  ...options.ports,
  gateway: options.ports.gateway.map((ports, index) => ({ ...ports, internal: 31 + index })),
  mcp: [{ http: 8083, ops: 19 }],
};

describe("planProcesses", () => {
  test("names the replicas of each part, each with ports of its own", () => {
    expect(plan.map(({ name, address, opsUrl }) => `${name} ${address} ${new URL(opsUrl).port}`)).toEqual([
      "gateway-1 127.0.0.1:8080 11",
      "gateway-2 127.0.0.1:8081 12",
      "portal-1 127.0.0.1:8082 13",
      "records-1 127.0.0.1:1 14",
      "records-2 127.0.0.1:2 15",
      "carrier-1 127.0.0.1:3 16",
      "tracking-1 127.0.0.1:4 17",
      "webhooks-1 127.0.0.1:5 18",
    ]);
  });

  test("passes on the launcher's environment without the settings of other parts, and the URLs of the parts that it calls", () => {
    expect(plan.find(({ name }) => name === "records-2")?.env).toEqual({
      PATH: "/bin",
      WEBHOOKS_URL: "http://127.0.0.1:5",
      DATABASE_URL: "pg:records",
      NATS_URL: "nats://127.0.0.1:9",
      BUS_PREFIX: "",
      NATS_USER: "records",
      NATS_PASSWORD: "pr",
      HOST: "127.0.0.1",
      PORT: "2",
      OPS_PORT: "15",
    });
  });

  test("gives each part the settings that it alone takes, and the URL of each process that it calls", () => {
    const env = (name: string) => plan.find((one) => one.name === name)?.env;
    expect(env("webhooks-1")).toMatchObject({
      CLOCK_SPEEDUP: "60",
      SECRETS_KEYS: "given:key",
      DATABASE_URL: "pg:webhooks",
    });
    expect(env("portal-1")).toMatchObject({
      SMTP_URL: "smtp://mail",
      GATEWAY_URL: "http://127.0.0.1:21,http://127.0.0.1:22",
      RECORDS_URL: "http://127.0.0.1:1,http://127.0.0.1:2",
    });
    expect(env("tracking-1")).toEqual({
      ...{ PATH: "/bin", DATABASE_URL: "pg:tracking", HOST: "127.0.0.1", PORT: "4", OPS_PORT: "17" },
    });
  });

  test("follows the declarations: ports, calls and settings of a part", () => {
    const tracking = { ...PARTS.tracking, calls: ["records"], settings: ["CLOCK_SPEEDUP"] } as const;
    const ports = { ...options.ports, tracking: [{ http: 6, rpc: 4, ops: 17 }] };
    const planned = planProcesses({ ...options, ports }, { ...PARTS, tracking });
    expect(planned.find(({ part }) => part === "tracking")).toMatchObject({
      address: "127.0.0.1:6",
      env: {
        ...{ PORT: "6", RPC_PORT: "4", CLOCK_SPEEDUP: "60" },
        RECORDS_URL: "http://127.0.0.1:1,http://127.0.0.1:2",
      },
    });
  });

  test("gives gateways and portals two ports, one for public HTTP and one at which the parts call them", () => {
    const ports = plan.flatMap(({ name, env }) => (env.RPC_PORT ? [[name, env.PORT, env.RPC_PORT]] : []));
    expect(ports).toEqual([
      ["gateway-1", "8080", "21"],
      ["gateway-2", "8081", "22"],
      ["portal-1", "8082", "23"],
    ]);
  });

  test("passes on the settings of mail and sign-in to the portal alone", () => {
    const settings = { ...options.env, MAIL_DIR: "mail", MAIL_FROM: "a@b.example", OIDC_ISSUER: "https://id.example" };
    const told = planProcesses({ ...options, env: settings }).map(({ name, env }) => [
      name,
      Object.keys(env).filter((key) => /^(OIDC|SMTP|MAIL)_/.test(key)),
    ]);
    expect(told.filter(([, keys]) => keys?.length)).toEqual([
      ["portal-1", ["SMTP_URL", "MAIL_DIR", "MAIL_FROM", "OIDC_ISSUER"]],
    ]);
  });

  test("starts the MCP server if it has a port, which calls the internal ports of the gateways, and gets its settings alone", () => {
    const env = { ...options.env, MCP: "true", MCP_TOOLS: "read" };
    const planned = planProcesses({ ...options, ports: withMcp, env });
    expect(planned.at(-1)).toMatchObject({ name: "mcp-1", address: "127.0.0.1:8083", opsUrl: "http://127.0.0.1:19" });
    expect(planned.at(-1)?.env).toMatchObject({
      API_URL: "http://127.0.0.1:31,http://127.0.0.1:32",
      DOCUMENTATION_URL: "http://127.0.0.1:8082",
      PORT: "8083",
      MCP_TOOLS: "read",
    });
    expect(planned.filter((one) => Object.keys(one.env).some((key) => /^MCP/.test(key)))).toHaveLength(1);
    const internal = planned.flatMap((one) => (one.env.INTERNAL_PORT ? [[one.name, one.env.INTERNAL_PORT]] : []));
    expect(internal).toEqual([
      ["gateway-1", "31"],
      ["gateway-2", "32"],
    ]);
  });

  test("a part that does not use events gets no NATS user", () => {
    const named = plan
      .filter(({ env }) => env.NATS_USER ?? env.NATS_PASSWORD)
      .map(({ name, env }) => [name, env.NATS_USER]);
    expect(named).toEqual([
      ["records-1", "records"],
      ["records-2", "records"],
      ["carrier-1", "carrier"],
      ["webhooks-1", "webhooks"],
    ]);
  });

  test("sets the number of copies for the part that creates the stream", () => {
    const told = plan.filter(({ env }) => env.NATS_REPLICAS).map(({ name, env }) => [name, env.NATS_REPLICAS]);
    expect(told).toEqual([["webhooks-1", "3"]]);
  });

  test("runs the program that production runs", () => {
    for (const { part, main } of plan) expect(main).toMatch(new RegExp(`/${part}/(src|dist)/main\\.[jt]s$`));
    expect(plan.every(({ main }) => existsSync(main))).toBe(true);
  });

  test("runs the program of another checkout for a part, if one is named, and only for that part", () => {
    const elsewhere = planProcesses({ ...options, checkouts: { records: "/elsewhere/services/records" } });
    const changed = elsewhere.filter(({ main }, index) => main !== plan[index]?.main);
    expect(changed.map(({ name, main }) => `${name} ${main}`)).toEqual([
      "records-1 /elsewhere/services/records/dist/main.js",
      "records-2 /elsewhere/services/records/dist/main.js",
    ]);
    expect(changed.map(({ env }) => env.BUILD_REVISION)).toEqual(["elsewhere", "elsewhere"]);
  });

  test("gives each process its part's certificate, if certificates are used", () => {
    const files = PART_NAMES.map((part) => [part, { TLS_CERT_FILE: `${part}.crt` }]);
    const certificates: Record<PartName, TlsFiles> = Object.fromEntries(files);
    for (const { part, env } of planProcesses({ ...options, ports: withMcp, certificates })) {
      expect(env.TLS_CERT_FILE).toBe(`${part}.crt`);
    }
  });
});
