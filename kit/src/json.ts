import { type DescMessage, type JsonObject, type JsonValue, type MessageShape, toJson } from "@bufbuild/protobuf";
import { JsonTextSchema } from "@shipping/proto/shipping/common/v1/common_pb";

/** The public body of a resource message, as JSON text: snake_case names, implicit fields always there, absent optional ones left out. */
export function publicJson<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): string {
  const json = toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true }) as JsonObject;
  for (const name of jsonTextFields(schema)) {
    const holder = json[name] as { text: string } | undefined;
    if (holder) json[name] = JSON.parse(holder.text) as JsonValue;
  }
  return JSON.stringify(json);
}

const found = new WeakMap<DescMessage, readonly string[]>();

function jsonTextFields(schema: DescMessage): readonly string[] {
  let names = found.get(schema);
  if (!names) {
    names = schema.fields.filter((f) => f.message?.typeName === JsonTextSchema.typeName).map((f) => f.name);
    found.set(schema, names);
  }
  return names;
}
