import { type ApiClient, apiClient } from "../platform/api-client.js";
import type { Area, SignedInVisitor } from "./area.js";

/** A person who is signed in, and the programs of the same account. */
export interface Customer extends SignedInVisitor {
  /** The sandbox, and the ID of its key. */
  api: ApiClient;
  keyId: string;
  live: ApiClient;
}

/** An account of its own, with an admin and a key for each environment. */
export async function newCustomer(area: Area): Promise<Customer> {
  const signedIn = await area.signIn();
  const stack = area.stack();
  const [sandbox, live] = [await stack.newKey(signedIn.accountId), await stack.newKey(signedIn.accountId, "live")];
  const [api, liveApi] = [sandbox.key, live.key].map((key) => apiClient(stack.baseUrl, key));
  return { ...signedIn, api: api!, keyId: sandbox.id, live: liveApi! };
}
