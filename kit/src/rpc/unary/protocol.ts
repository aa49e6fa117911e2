import type { DescService } from "@bufbuild/protobuf";

/** Inputs are bounded: the library's own limit is 4 GiB. The largest message is a page of 100 records of 64 KiB. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
export const MAX_REQUEST_BYTES = 1024 * 1024;

export const UNARY_TYPE = "application/proto";

/** What a unary call of the Connect protocol is answered with. */
export interface UnaryAnswer {
  status: number;
  type: string;
  body: Uint8Array;
}

/** Where a method is called. */
export function pathOf({ parent, name }: { parent: DescService; name: string }): string {
  return `/${parent.typeName}/${name}`;
}
