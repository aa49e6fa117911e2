import { STATUS_CODES } from "node:http";
import { CodeExample } from "../site/code-example.js";
import { FieldList } from "./field-list.js";
import type { Operation } from "./operations.js";

/** The successful response. */
export function AnswerExample({ operation: { answer } }: { operation: Operation }) {
  const status = `${answer.status} ${STATUS_CODES[answer.status]}`;
  if (answer.isPdf)
    return (
      <p>
        <strong>{status}</strong>: the file, as <code>application/pdf</code>.
      </p>
    );
  return (
    <CodeExample language="json" caption={status} isOutput code={`${JSON.stringify(answer.example, null, 2)}\n`} />
  );
}

const PLACES = { path: "Path", query: "Query", header: "Headers" } as const;

/** The request: parameters, headers and body. */
export function Sent({ operation: { parameters, body } }: { operation: Operation }) {
  const places = (["path", "query", "header"] as const).map((place) => ({
    place,
    fields: parameters.filter((parameter) => parameter.in === place).map(({ field }) => field),
  }));
  return (
    <>
      {places
        .filter(({ fields }) => fields.length > 0)
        .map(({ place, fields }) => (
          <>
            <h3>{PLACES[place]}</h3>
            <FieldList fields={fields} />
          </>
        ))}
      {body && (
        <>
          <h3>Body</h3>
          <p>
            {body.fields.length
              ? "A JSON object. Fields that are not listed here are rejected."
              : "An empty JSON object."}
          </p>
          {body.fields.length > 0 && <FieldList fields={body.fields} />}
        </>
      )}
      {parameters.length === 0 && !body && <p>No parameters and no body, only the API key.</p>}
    </>
  );
}

/** The fields of the response. */
export function Answered({ operation: { answer } }: { operation: Operation }) {
  return (
    <>
      <h3>Body</h3>
      {answer.isPdf ? <p>The PDF file.</p> : <FieldList fields={answer.fields} isAnswer isOpen />}
      <h3>Headers</h3>
      <details>
        <summary>{answer.headers.length} headers</summary>
        <FieldList fields={answer.headers} isAnswer />
      </details>
    </>
  );
}
