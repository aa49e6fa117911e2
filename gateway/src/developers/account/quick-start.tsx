import { BASE_PATH } from "../../api/endpoint.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { Code } from "../page/text.js";
import { curlSteps, nodeProgram, pythonProgram } from "./quick-start-programs.js";

/** `GET /developers/quick-start`: from an order to its label, with this installation's address and no key in it. */
export async function showQuickStart(deps: PageDeps, { session }: PageRequest): Promise<PageAnswer> {
  const base = deps.origin() + BASE_PATH;
  return shown(
    "Quick start",
    <>
      <h1>Quick start: a first label</h1>
      <p>
        An order, its shipment, a rate, a label, its PDF: in the sandbox, where nothing costs or ships anything. It
        takes a sandbox key with the scopes that are chosen when you create one.
      </p>
      {session.role === "admin" && (
        <p>
          <a class="button" href={`${AREA_PATH}/sandbox/keys/new`}>
            Create key
          </a>
        </p>
      )}
      <h2>1. Give the key to your shell</h2>
      <Code>export SHIPPING_KEY=YOUR_SANDBOX_KEY</Code>
      <h2>2. Make a label</h2>
      <p>
        Every request that changes something has an idempotency key: sent again, it answers the same and does nothing
        twice. These examples make new keys for each run. Your own program uses a number that it already has, such as
        that of its order.
      </p>
      <details open>
        <summary>curl 7.76 or newer</summary>
        <Code>{curlSteps(base)}</Code>
      </details>
      <details>
        <summary>Node</summary>
        <Code>{nodeProgram(base)}</Code>
      </details>
      <details>
        <summary>Python</summary>
        <Code>{pythonProgram(base)}</Code>
      </details>
      <p>
        Read on in <a href="/docs">the guides</a>; all operations are in <a href="/docs/reference">the reference</a>.
      </p>
    </>,
  );
}
