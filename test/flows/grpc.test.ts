import { join } from "node:path";
import { credentials, loadPackageDefinition, Metadata, type ServiceClientConstructor, status } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { tokenHeader } from "@shipping/kit/rpc/local-token";
import { parts } from "@shipping/local/parts";
import { type Stack, sharedStack } from "../platform/stack.js";

const protos = join(import.meta.dirname, "../../proto");
const load = (file: string) =>
  loadPackageDefinition(
    loadSync(join(protos, file), { includeDirs: [protos], keepCase: true, defaults: true, enums: String }),
  );

function constructorAt(definition: ReturnType<typeof load>, path: string): ServiceClientConstructor {
  const found = path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], definition);
  return found as ServiceClientConstructor;
}

/** Calls a method as any gRPC client would, and yields the message or the status code. */
function call(file: string, service: string, port: number, method: string, request: object): Promise<unknown> {
  const Client = constructorAt(load(file), service);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const unary = (
    client as unknown as Record<
      string,
      (r: object, m: Metadata, done: (e: { code: number } | null, m: unknown) => void) => void
    >
  )[method];
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(tokenHeader(stack.rpcToken))) metadata.set(name, value);
  return new Promise((resolve) => {
    unary?.call(client, request, metadata, (error, message) => {
      client.close();
      resolve(error ? { code: error.code } : message);
    });
  });
}

let stack: Stack;
beforeAll(async () => {
  stack = await sharedStack();
});
afterAll(() => stack.stop());

const file = (name: string) => `shipping/${name}/v1/${name}.proto`;

describe("a stock gRPC client", () => {
  test.each(parts)("finds %s healthy through grpc.health.v1", async (name) => {
    const answer = await call(
      "grpc/health/v1/health.proto",
      "grpc.health.v1.Health",
      stack.rpcPorts[name],
      "Check",
      {},
    );
    expect(answer).toMatchObject({ status: "SERVING" });
  });

  const caller = { account_id: "acc_aaaaaaaaaaaaaaaaaaaaaaaaaa", environment: "sandbox" };
  const emptyPage = { data: Buffer.from("[]") };
  test.each([
    ["records", "shipping.records.v1.RecordsService", "ListOrders", { caller, limit: 5 }, emptyPage],
    ["records", "shipping.records.v1.RecordsService", "ListShipments", { caller, limit: 5 }, emptyPage],
    ["carrier", "shipping.carrier.v1.CarrierService", "ListLabels", { caller, limit: 5 }, emptyPage],
    ["webhooks", "shipping.webhooks.v1.WebhooksService", "ListSubscriptions", { caller, limit: 5 }, emptyPage],
  ] as const)("calls %s: %s/%s", async (name, service, method, request, expected) => {
    expect(await call(file(name), service, stack.rpcPorts[name], method, request)).toMatchObject(expected);
  });

  test.each(parts)("makes several calls of %s in one", async (name) => {
    const calls = [{ path: "/shipping.ledger.v1.LedgerService/Read" }, { path: "/elsewhere" }];
    const answer = await call(file("batch"), "shipping.batch.v1.BatchService", stack.rpcPorts[name], "Call", { calls });
    const json = { content_type: "application/json" };
    expect(answer).toMatchObject({ answers: [{ call: 0 }, { ...json, call: 1, status: 501 }] });
  });

  test("gets a refusal as a status: tracking of an unknown number is NOT_FOUND", async () => {
    const request = { caller, tracking_number: "TEST0000" };
    const answer = await call(
      file("tracking"),
      "shipping.tracking.v1.TrackingService",
      stack.rpcPorts.tracking,
      "GetTracking",
      request,
    );
    expect(answer).toEqual({ code: status.NOT_FOUND });
  });
});
