import * as examples from "@shipping/api/examples";
import type { Site } from "../layout/site-header.js";
import type { Operation, RequestParameter, Resource } from "./operations.js";

const { order, shipment, label, webhook } = examples;

/** The IDs in the examples, which the script replaces by the reader's own. */
const IDS = [order.id, shipment.id, label.id, label.tracking_number, webhook.id].join(" ");

interface TryItProps {
  operation: Operation;
  resources: readonly Resource[];
  site: Site;
}

/** A form that sends the request. Hidden until the script runs, which it needs. */
export function TryIt({ operation, resources, site }: TryItProps) {
  const { route, path, parameters, body } = operation;
  return (
    <section id="try" class="try" aria-labelledby="try-title" hidden>
      <h2 id="try-title">Try it</h2>
      <form
        data-method={route.method}
        data-path={path}
        data-file={operation.answer.isPdf ? "label.pdf" : undefined}
        data-ids={IDS}
      >
        <label for="try-key">API key</label>
        <input
          id="try-key"
          name="key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          aria-describedby="try-key-hint"
        />
        <p class="hint" id="try-key-hint">
          This tab keeps the key until you close it.{" "}
          {site.hasArea && (
            <>
              Create a sandbox key in the <a href="/developers/sandbox/keys">developer area</a>.
            </>
          )}
        </p>
        <p class="warning" role="status" data-live hidden />
        {parameters.map((parameter) => (
          <ParameterField parameter={parameter} creator={findCreator(parameter, resources)} />
        ))}
        {body && (
          <>
            <label for="try-body">Body</label>
            <textarea id="try-body" name="body" rows={countRows(body.example)} autocomplete="off" spellcheck={false}>
              {JSON.stringify(body.example, null, 2)}
            </textarea>
          </>
        )}
        <button type="submit">Send request</button>
      </form>
      <div class="sent">
        <p class="status" role="status" />
        <div class="content" />
      </div>
    </section>
  );
}

const LABELS = { path: "", query: " (query, optional)", header: "" } as const;

function ParameterField({ parameter, creator }: { parameter: RequestParameter; creator: Operation | undefined }) {
  const { field, example } = parameter;
  const id = `try-${field.name}`;
  const isKey = parameter.in === "header";
  return (
    <>
      <label for={id}>
        <code>{field.name}</code>
        {LABELS[parameter.in]}
      </label>
      <input
        id={id}
        name={field.name}
        data-in={parameter.in}
        // The script sends a new idempotency key if this is empty.
        value={isKey ? undefined : example}
        placeholder={isKey ? "a new key for each request" : undefined}
        autocomplete="off"
        spellcheck={false}
      />
      {creator && (
        <p class="hint" data-example={example}>
          This is an example ID. <a href={creator.href}>{creator.route.summary}</a> first, and your own ID appears here.
        </p>
      )}
    </>
  );
}

function findCreator({ example }: RequestParameter, resources: readonly Resource[]): Operation | undefined {
  if (example === undefined) return undefined;
  const operations = resources.flatMap((resource) => resource.operations);
  return operations.find(({ route }) => {
    const { id, tracking_number } = (route.example.data ?? {}) as { id?: string; tracking_number?: string };
    return route.status === 201 && (id === example || tracking_number === example);
  });
}

function countRows(example: unknown): number {
  return Math.min(24, JSON.stringify(example, null, 2).split("\n").length + 1);
}
