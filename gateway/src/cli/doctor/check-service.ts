import { createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { bareHost, connectSecurely } from "@shipping/kit/tls/tls";
import {
  Health,
  type HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
} from "@shipping/proto/grpc/health/v1/health_pb";
import type { Platform } from "../platform/find-platform.js";
import { type Finding, reasonOf } from "../platform/finding.js";

const ANSWER_MS = 3_000;

/** Says whether a service answers grpc.health.v1, asked over gRPC, as Kubernetes would. */
export async function checkService(part: string, url: string, tls: Platform["tls"]): Promise<Finding> {
  const name = `${part} service`;
  try {
    const { status } = await askHealth(url, tls);
    const word = HealthCheckResponse_ServingStatus[status];
    if (status === HealthCheckResponse_ServingStatus.SERVING)
      return { part: name, ok: true, says: `serving at ${url}` };
    return { part: name, ok: false, says: `${word} at ${url}`, advice: "It is starting or stopping. Check its log." };
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
    return {
      part: name,
      ok: false,
      says: `${response.status} at ${url}`,
      advice: "Another program may be using this port.",
    };
  } catch (error) {
    return unreachable(name, url, error);
  }
}

async function askHealth(url: string, tls: Platform["tls"]): Promise<HealthCheckResponse> {
  const { hostname, port } = new URL(url);
  const baseUrl = `${tls ? "https" : "http"}://${hostname}:${port || 80}`;
  const options = tls ? { createConnection: (at: URL) => connectSecurely(tls, at, bareHost(at)) } : {};
  const sessionManager = new Http2SessionManager(baseUrl, undefined, options);
  const client = createClient(Health, createGrpcTransport({ baseUrl, sessionManager }));
  try {
    return await client.check({}, { timeoutMs: ANSWER_MS });
  } finally {
    sessionManager.abort();
  }
}

function unreachable(part: string, url: string, error: unknown): Finding {
  return {
    part,
    ok: false,
    says: `not reachable at ${url}: ${reasonOf(error)}`,
    advice: "Check that the process is running and that the address is correct.",
  };
}
