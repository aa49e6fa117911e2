import { errors } from "@shipping/proto/errors";
import { type Anomaly, codeIn, type History, lineAbout, type Operation } from "./operation.js";

/** The responses that no client may ever see: a 500, or an error that the contract does not have. */
export function foreignAnswers({ operations }: History): Anomaly[] {
  return operations
    .filter((operation) => operation.status >= 300 && !isOfContract(operation))
    .map((operation) => {
      const seen = [lineAbout(operation), operation.text.slice(0, 300)];
      return { rule: "An answer is not one of the contract.", subject: operation.path, seen };
    });
}

function isOfContract(operation: Operation): boolean {
  const code = codeIn(operation);
  return operation.status !== 500 && code in errors && errors[code as keyof typeof errors].status === operation.status;
}
