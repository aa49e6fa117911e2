import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, createContextKey, type Interceptor } from "@connectrpc/connect";
import { Health } from "@shipping/proto/grpc/health/v1/health_pb";

/**
 * Which part may call which methods of a service, by the name in its certificate. Nobody else may call anything. Parts that may call
 * something may also check the health of the service.
 */
export type Peers = Readonly<Record<string, readonly DescMethod[]>>;

/** The part that a call comes from, by its certificate. */
export const peerKey = createContextKey<string | undefined>(undefined, { description: "calling part" });

/** Admits the calls in the table. `refused` is called for every other call. */
export function admitPeers(peers: Peers, refused: () => void): Interceptor {
  const admitted = new Map(
    Object.entries(peers).map(([peer, methods]) => [peer, new Set([...methods, ...Health.methods])]),
  );
  return (next) => (request) => {
    const peer = request.contextValues.get(peerKey);
    if (peer !== undefined && admitted.get(peer)?.has(request.method)) return next(request);
    refused();
    const { name, parent } = request.method;
    const who = peer ?? "A certificate that names no part of this platform";
    throw new ConnectError(`${who} may not call ${parent.typeName}/${name}.`, Code.PermissionDenied);
  };
}
