import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type ChannelCredentials, Client, credentials } from "@grpc/grpc-js";
import {
  HealthCheckRequestSchema,
  type HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
} from "@shipping/proto/grpc/health/v1/health_pb";
import type { Platform } from "./find-platform.js";
import { type Finding, reasonOf } from "./finding.js";

const ANSWER_MS = 3_000;

/** Says whether a service answers grpc.health.v1, asked by a stock gRPC client as Kubernetes would. */
export async function checkService(part: string, url: string, tls: Platform["tls"]): Promise<Finding> {
  const name = `${part} service`;
  try {
    const { status } = await askHealth(url, tls);
    const word = HealthCheckResponse_ServingStatus[status];
    if (status === HealthCheckResponse_ServingStatus.SERVING)
      return { part: name, ok: true, says: `serving at ${url}` };
    return { part: name, ok: false, says: `${word} at ${url}`, advice: "It is starting or stopping: see its log." };
  } catch (error) {
    return unreachable(name, url, error);
  }
}

/** Says whether the public API answers. */
export async function checkApi(url: string): Promise<Finding> {
  const name = "public API";
  try {
    const response = await fetch(new URL("/api/v1/openapi.json", url), { signal: AbortSignal.timeout(ANSWER_MS) });
    await response.arrayBuffer();
    if (response.ok) return { part: name, ok: true, says: `answering at ${url}` };
    return { part: name, ok: false, says: `${response.status} at ${url}`, advice: "Something else may listen there." };
  } catch (error) {
    return unreachable(name, url, error);
  }
}

function askHealth(url: string, tls: Platform["tls"]): Promise<HealthCheckResponse> {
  const { hostname, port } = new URL(url);
  const client = new Client(`${hostname}:${port || 80}`, credentialsOf(tls));
  return new Promise<HealthCheckResponse>((resolve, reject) => {
    client.makeUnaryRequest(
      "/grpc.health.v1.Health/Check",
      (request) => Buffer.from(toBinary(HealthCheckRequestSchema, request)),
      (bytes) => fromBinary(HealthCheckResponseSchema, bytes),
      create(HealthCheckRequestSchema),
      { deadline: Date.now() + ANSWER_MS },
      (error, response) => (response ? resolve(response) : reject(error)),
    );
  }).finally(() => client.close());
}

function credentialsOf(tls: Platform["tls"]): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  const { ca, key, cert } = tls.options();
  return credentials.createSsl(Buffer.from(ca), Buffer.from(key), Buffer.from(cert));
}

function unreachable(part: string, url: string, error: unknown): Finding {
  return {
    part,
    ok: false,
    says: `not reachable at ${url}: ${reasonOf(error)}`,
    advice: "See that its process runs, and that the address is right.",
  };
}
