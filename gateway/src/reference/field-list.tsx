import type { Field } from "../guides/schema-fields.js";
import { Prose } from "./prose.js";

/** Fields, one below the other, those inside of them folded up. */
export function FieldList({ fields, isOpen = false }: { fields: readonly Field[]; isOpen?: boolean }) {
  return (
    <ul class="fields">
      {fields.map((field) => (
        <li>
          <FieldItem field={field} isOpen={isOpen} />
        </li>
      ))}
    </ul>
  );
}

function FieldItem({ field, isOpen }: { field: Field; isOpen: boolean }) {
  const { name, type, isRequired, text, pattern, fields } = field;
  return (
    <>
      <p class="field">
        <code class="name">{name}</code> <span class="type">{type}</span>{" "}
        {isRequired ? <span class="required">required</span> : <span class="optional">optional</span>}
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
          <FieldList fields={fields} />
        </details>
      )}
    </>
  );
}

const LONGEST_SHOWN = 60;

/** A regular expression; a long one is folded up. */
function Pattern({ pattern }: { pattern: string }) {
  if (pattern.length <= LONGEST_SHOWN)
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
