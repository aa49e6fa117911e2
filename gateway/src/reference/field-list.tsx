import type { Field } from "../guides/schema-fields.js";
import { Prose } from "./prose.js";

interface FieldListOf {
  fields: readonly Field[];
  /** True for a response, where "required" is left out: every field that is not optional is always present. */
  isAnswer?: boolean;
  /** True if the first level of nested fields is shown open. */
  isOpen?: boolean;
}

/** Fields, one below the other, those inside of them folded up. */
export function FieldList({ fields, isAnswer = false, isOpen = false }: FieldListOf) {
  return (
    <ul class="fields">
      {fields.map((field) => (
        <li>
          <FieldItem field={field} isAnswer={isAnswer} isOpen={isOpen} />
        </li>
      ))}
    </ul>
  );
}

function FieldItem({ field, isAnswer, isOpen }: { field: Field; isAnswer: boolean; isOpen: boolean }) {
  const { name, type, isRequired, text, pattern, fields } = field;
  return (
    <>
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
    </>
  );
}

const MAX_SHOWN_CHARACTERS = 60;

/** A regular expression; a long one is folded up. */
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
