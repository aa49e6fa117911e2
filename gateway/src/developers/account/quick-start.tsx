import { BASE_PATH } from "../../api/endpoint.js";
import { CodeExample, CodeTabs } from "../../site/code-example.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { curlSteps, nodeProgram, pythonProgram } from "./quick-start-programs.js";

/** `GET /developers/quick-start`: from an order to its label, with this installation's address and no key in it. */
export async function showQuickStart(deps: PageDeps, { session }: PageRequest): Promise<PageAnswer> {
  const base = deps.origin() + BASE_PATH;
  return shown(
    "Quick start",
    <>
      <h1>Quick start: create your first label</h1>
      <p>
        Create an order and a shipment, request a rate, create a label and download its PDF. Everything happens in the
        sandbox, where nothing is charged or shipped. You need a sandbox key with the permissions that are selected by
        default.
      </p>
      {session.role === "admin" && (
        <p>
          <a class="button" href={`${AREA_PATH}/sandbox/keys/new`}>
            Create key
          </a>
        </p>
      )}
      <h2>1. Set your API key</h2>
      <CodeExample language="sh" code="export SHIPPING_KEY=YOUR_SANDBOX_KEY" />
      <h2>2. Create a label</h2>
      <p>
        Every write has an idempotency key. If you repeat the request with the same key, you get the original response
        and nothing happens twice. These examples generate new keys for each run. In your own program, use an identifier
        that you already have, such as your order number.
      </p>
      <CodeTabs
        blocks={[
          { language: "sh", code: curlSteps(base) },
          { language: "js", code: nodeProgram(base) },
          { language: "python", code: pythonProgram(base) },
        ]}
      />
      <p>
        Next, read <a href="/docs">the guides</a>, or look up an operation in{" "}
        <a href="/docs/reference">the reference</a>.
      </p>
    </>,
  );
}
