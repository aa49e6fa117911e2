import { STATUS_CODES } from "node:http";
import type { Field } from "../guides/schema-fields.js";
import { CodeExample } from "../layout/code-example.js";
import type { Operation } from "./operations.js";
import { Prose } from "./reference-layout.js";

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

interface FieldListProps {
  fields: readonly Field[];
  /** True for a response. "required" is not shown then: every field that is not optional is always present. */
  isAnswer?: boolean;
  /** True to expand the first level of nested fields. */
  isOpen?: boolean;
}

/** A list of fields. Nested fields are collapsed. */
function FieldList({ fields, isAnswer = false, isOpen = false }: FieldListProps) {
  return (
    <ul class="fields">
      {fields.map((field) => (
        <FieldItem field={field} isAnswer={isAnswer} isOpen={isOpen} />
      ))}
    </ul>
  );
}

function FieldItem({ field, isAnswer, isOpen }: { field: Field; isAnswer: boolean; isOpen: boolean }) {
  const { name, type, isRequired, text, pattern, fields } = field;
  return (
    <li>
      <p class="field">
        <code class="name">{name}</code> <span class="type">{type}</span>{" "}
        {isRequired && !isAnswer && <span class="required">required</span>}
        {!isRequired && <span class="optional">optional</span>}
      </p>
      {text && (
        <p>
          <Prose>{text}</Prose>
        </p>
      )}
      {pattern !== undefined && <Pattern pattern={pattern} />}
      {fields.length > 0 && (
        <details open={isOpen}>
          <summary>{fields.length === 1 ? "1 field" : `${fields.length} fields`}</summary>
          <FieldList fields={fields} isAnswer={isAnswer} />
        </details>
      )}
    </li>
  );
}

const MAX_SHOWN_CHARACTERS = 60;

/** A regular expression, collapsed if it is long. */
function Pattern({ pattern }: { pattern: string }) {
  if (pattern.length <= MAX_SHOWN_CHARACTERS)
    return (
      <p>
        Pattern: <code>{pattern}</code>
      </p>
    );
  return (
    <details>
      <summary>Pattern</summary>
      <p>
        <code>{pattern}</code>
      </p>
    </details>
  );
}
