import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

const folder = join(import.meta.dirname, "../../proto");

/** Every RPC of a proto file, as its path in a call. */
function rpcsOf(text: string): string[] {
  const [, name = ""] = /^package ([\w.]+);/m.exec(text) ?? [];
  const services = [...text.matchAll(/^service (\w+) \{([\s\S]*?)^\}/gm)];
  return services.flatMap(([, service, body = ""]) =>
    [...body.matchAll(/^ {2}rpc (\w+)\(/gm)].map(([, rpc]) => `${name}.${service}/${rpc}`),
  );
}

test("every RPC is in the baseline that `buf breaking` compares with, and every one of the baseline is still here", () => {
  const { file } = fromBinary(FileDescriptorSetSchema, readFileSync(join(folder, "baseline.binpb")));
  const held = file.flatMap((one) =>
    one.service.flatMap(({ name, method }) => method.map((rpc) => `${one.package}.${name}/${rpc.name}`)),
  );
  const protos = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".proto"));
  const present = protos.flatMap((path) => rpcsOf(readFileSync(join(folder, path), "utf8")));
  expect(present.length).toBeGreaterThan(40);
  expect(present.filter((rpc) => !held.includes(rpc))).toEqual([]);
  expect(held.filter((rpc) => !present.includes(rpc))).toEqual([]);
});
