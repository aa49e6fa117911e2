import type { FieldError } from "@shipping/kit/errors";
import { ROLES, type Role } from "../../accounts/manage-members.js";
import { Fault, Field, faultAttributes } from "../page/form-field.js";

const WORDS: Record<Role, string> = {
  admin: "Admin: can change everything",
  viewer: "Viewer: can see everything",
};

/** The field in which a role is chosen. */
export function RoleChoice({ role: chosen, faults }: { role: string; faults: readonly FieldError[] }) {
  return (
    <Field id="role" label="Role">
      <select id="role" name="role" {...faultAttributes("role", faults, "role")}>
        {ROLES.map((role) => (
          <option value={role} selected={role === chosen}>
            {WORDS[role]}
          </option>
        ))}
      </select>
      <Fault id="role" faults={faults} path="role" />
    </Field>
  );
}
