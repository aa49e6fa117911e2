import type { FieldError } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import type { ComponentChildren } from "preact";
import { z } from "zod";
import { Note, visible } from "./text.js";

/** Names a form as it was shown: sent several times, it does one thing. */
export const formId = z.string("is required").refine((id) => isId("form", id), "does not belong to this form");

/** The error message below a field. `id` is the ID of the field. */
export function Fault({ id, faults, path }: { id: string; faults: readonly FieldError[]; path: string }) {
  const found = faultOf(faults, path);
  if (!found) return null;
  return (
    <p class="fault" id={`${id}-fault`}>
      {`This ${found.message}.`}
    </p>
  );
}

/** The attributes that link a field to its error message. */
export function faultAttributes(id: string, faults: readonly FieldError[], path: string) {
  return faultOf(faults, path) ? { "aria-invalid": "true" as const, "aria-describedby": `${id}-fault` } : {};
}

function faultOf(faults: readonly FieldError[], path: string): FieldError | undefined {
  return faults.find((fault) => fault.path === path || fault.path.startsWith(`${path}.`));
}

/** The message above a refused form, with the errors that belong to none of its fields. */
export function FormFaults({ faults, fields }: { faults: readonly FieldError[]; fields: readonly string[] }) {
  if (faults.length === 0) return null;
  const others = faults.filter(({ path }) => !fields.includes(path.split(".")[0] ?? ""));
  const isRight = faults.every(({ path }) => path === "");
  return (
    <Note kind="danger">
      <p>{isRight ? "Nothing was saved." : "Nothing was saved. Check the highlighted fields."}</p>
      {others.slice(0, 10).map(({ path, message }) => (
        <p>{`${visible(path)} ${message}`.trim()}</p>
      ))}
    </Note>
  );
}

/** A field with its label and hint. */
export function Field({
  id,
  label,
  hint,
  children,
}: {
  id: string;
  label: string;
  hint?: string;
  children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && <p class="hint">{hint}</p>}
      {children}
    </div>
  );
}
