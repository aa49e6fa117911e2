import * as examples from "../examples.js";
import { account } from "../resources.js";
import { type Operation, read } from "./operation.js";

export const accountOperations: readonly Operation[] = [
  read({
    operationId: "getAccount",
    path: "/account",
    scope: "account:read",
    summary: "Retrieve the account",
    purpose:
      "Returns the account of the API key, the key's environment and scopes, and the account's current capabilities and limits.",
    guide: "environments",
    answers: account,
    example: { data: examples.account, invalid: examples.unknownParameter },
  }),
];
