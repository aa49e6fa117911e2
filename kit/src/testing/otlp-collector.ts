import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** A span as it arrived; IDs in hex, `parentId` empty for the first of a trace. */
export interface CollectedSpan {
  /** The part that sent the span. */
  part: string;
  /** The release that the part runs. */
  release: string;
  /** All attributes of its process that are texts. */
  resource: Record<string, string>;
  name: string;
  traceId: string;
  spanId: string;
  parentId: string;
  links: string[];
}

/** Starts a collector of traces on loopback, for OTLP's protobuf over HTTP. */
export async function otlpCollector() {
  const spans: CollectedSpan[] = [];
  const requests: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const sent = Buffer.concat(chunks);
    const bytes = request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
    requests.push(bytes);
    spans.push(...spansIn(bytes));
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** The received messages, including fields that `spans` leaves out. */
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The fields of a message that hold bytes, texts or messages, by number (opentelemetry/proto/trace/v1/trace.proto). */
function fieldsOf(bytes: Uint8Array): Map<number, Uint8Array[]> {
  const fields = new Map<number, Uint8Array[]>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type === WireType.LengthDelimited) fields.set(number, [...(fields.get(number) ?? []), reader.bytes()]);
    else if (type === WireType.Varint) reader.uint64();
    else reader.pos += type === WireType.Bit64 ? 8 : 4;
  }
  return fields;
}

function spansIn(request: Uint8Array): CollectedSpan[] {
  return each(request, 1).flatMap((ofResource) => {
    const attributes = each(each(ofResource, 1)[0], 1).map((pair) => [text(pair, 1), text(each(pair, 2)[0], 1)]);
    const resource: Record<string, string> = Object.fromEntries(attributes);
    const { "service.name": part = "", "service.version": release = "" } = resource;
    return each(ofResource, 2).flatMap((ofScope) =>
      each(ofScope, 2).map((span) => ({ part, release, resource, ...spanOf(span) })),
    );
  });
}

function spanOf(span: Uint8Array): Omit<CollectedSpan, "part" | "release" | "resource"> {
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentId: hex(span, 4),
    name: text(span, 5),
    links: each(span, 13).map((link) => hex(link, 2)),
  };
}

const each = (bytes: Uint8Array | undefined, field: number) => (bytes && fieldsOf(bytes).get(field)) ?? [];
const text = (bytes: Uint8Array | undefined, field: number) => Buffer.from(each(bytes, field)[0] ?? []).toString();
const hex = (bytes: Uint8Array, field: number) => Buffer.from(each(bytes, field)[0] ?? []).toString("hex");
