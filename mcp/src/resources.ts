import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { type Access, LABEL_FILE, readAccount, readCall, sendCall, toBlob } from "./call-tool.js";
import type { ApiTool } from "./tools.js";

const ACCOUNT: Resource = {
  uri: "shipping://account",
  name: "Account",
  description: "The account of the API key: environment, scopes, capabilities and limits.",
  mimeType: "application/json",
};

/** The resources whose URIs contain an ID. */
export const TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: LABEL_FILE.template,
    name: "Label file",
    description: "The PDF of a label, by the label's ID. The file of a voided label is refused.",
    mimeType: "application/pdf",
  },
];

type ReadDocument = (path: string) => Promise<string>;

/** Lists the account and the pages of the documentation. */
export async function listResources(readDocument: ReadDocument): Promise<{ resources: Resource[] }> {
  return { resources: [ACCOUNT, ...(await listPages(readDocument))] };
}

/** Reads a resource: the account, the file of a label, or a page of the documentation. */
export async function readResource(
  uri: string,
  { tools, access, readDocument }: { tools: readonly ApiTool[]; access: Access; readDocument: ReadDocument },
): Promise<ReadResourceResult["contents"][number]> {
  if (uri === ACCOUNT.uri) return { uri, mimeType: "application/json", text: await readAccount(access) };
  const [, id] = LABEL_FILE.pattern.exec(uri) ?? [];
  const download = tools.find(({ tool }) => tool.name === "getLabelFile");
  if (id !== undefined && download) {
    const answer = await sendCall(access, readCall(access, download, { id }));
    if (typeof answer === "string") throw new ProtocolError(ProtocolErrorCode.InvalidParams, answer);
    return toBlob(answer);
  }
  const page = (await listPages(readDocument)).find((one) => one.uri === uri);
  if (!page) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource ${uri}.`);
  return { uri, mimeType: "text/markdown", text: await readDocument(uri.slice("shipping:/".length)) };
}

/** Reads the pages that `/llms.txt` lists, as resources. */
async function listPages(readDocument: ReadDocument): Promise<Resource[]> {
  return (await readDocument("/llms.txt")).split("\n").flatMap((line) => {
    const [, name, path, description] = /^- \[([^\]]+)\]\((\/docs\/[^\s)]+\.md)\)(?:: (.*))?$/.exec(line) ?? [];
    if (name === undefined) return [];
    return {
      uri: `shipping:/${path}`,
      name,
      mimeType: "text/markdown",
      ...(description !== undefined && { description }),
    };
  });
}
