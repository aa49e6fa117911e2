import { convertV2 } from "openapi-to-postmanv2";

/** A request of a collection, as far as it is read. */
export interface MadeRequest {
  name: string;
  request: {
    method: string;
    description: { content: string };
    url: { path: string[]; query: Entry[]; variable: Entry[] };
    header: Entry[];
    body?: { mode?: string; raw?: string };
  };
}

interface Entry {
  key: string;
  value: string;
  description?: { content: string };
}

/** A collection of folders, one for each tag. */
export interface Made {
  info: { name: string; schema: string; description: { content: string } };
  item: { name: string; description: string; item: MadeRequest[] }[];
}

const OPTIONS = { folderStrategy: "Tags", requestNameSource: "Fallback", parametersResolution: "Example" } as const;

/** Converts an OpenAPI document into a Postman collection. */
export function convertDocument(document: object): Promise<Made> {
  return new Promise((resolve, reject) => {
    convertV2({ type: "json", data: structuredClone(document) }, OPTIONS, (error, answer) => {
      const [made] = answer?.output ?? [];
      if (made) resolve(JSON.parse(JSON.stringify(made.data)));
      else reject(error ?? new Error(answer?.reason ?? "The OpenAPI document makes no collection."));
    });
  });
}
