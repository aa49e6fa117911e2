/** A protobuf message as a plain object, without the fields that the library adds. */
export function plain<T extends { $typeName: string; $unknown?: unknown }>({ $typeName, $unknown, ...facts }: T) {
  return facts;
}
