import { type FieldError, failureIn } from "@shipping/kit/errors";
import { isId, newId } from "@shipping/kit/ids";
import { z } from "zod";
import { isName, NAME_RULE } from "../../accounts/manage-accounts.js";
import { createKey } from "../../accounts/manage-keys.js";
import { scopes } from "../../admission/api-key.js";
import { formId } from "../page/form-field.js";
import { AREA_PATH, type HtmlPage, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { checkForm } from "../page/read-form.js";
import { KeyForm, type KeyFormValues } from "./key-form.js";
import { EXPIRIES, type Expiry, FIRST_SCOPES } from "./key-scopes.js";
import { NewKeyPage } from "./new-key.js";

const DAY_MS = 86_400_000;

const nameRule = `must have ${NAME_RULE}`;
const keyForm = z.strictObject({
  name: z.string(nameRule).refine(isName, nameRule),
  scopes: z
    .array(z.enum(scopes, "must be chosen from the list"), "must include at least one")
    .refine((chosen) => new Set(chosen).size === chosen.length, "must not be repeated"),
  expires: z.enum(Object.keys(EXPIRIES) as Expiry[], "must be chosen from the list"),
  form_id: formId,
});

/** `GET …/keys/new`. */
export async function showKeyForm(deps: PageDeps, { environment }: PageRequest): Promise<PageAnswer> {
  const values: KeyFormValues = {
    name: environment === "live" ? "Live key" : "Sandbox key",
    scopes: FIRST_SCOPES[environment],
    expires: "90d",
    formId: newId("form", deps.random),
  };
  return shown("Create a key", <KeyForm environment={environment} values={values} faults={[]} />);
}

/** `POST …/keys/new`: the key stands in this answer and nowhere else. The same form again is sent to the list. */
export async function submitKeyForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, environment, session, actor } = request;
  const { value, faults } = checkForm(keyForm, form, ["scopes"]);
  if (!value) return refuseForm(deps, request, 422, faults);
  const { name, scopes: chosen, expires, form_id: id } = value;
  const days = EXPIRIES[expires];
  const wanted = {
    accountId: session.accountId,
    environment,
    name,
    scopes: chosen,
    formId: id,
    ...(days !== undefined && { expiresInMs: days * DAY_MS }),
  };
  const list = `${AREA_PATH}/${environment}/keys`;
  try {
    const created = await createKey(deps, wanted, actor);
    const body = <NewKeyPage created={created} name={name} list={list} />;
    return { status: 201, title: "Key created", secret: true, body };
  } catch (error) {
    const failure = failureIn(error);
    if (failure?.code === "idempotency_conflict") return { location: list };
    // The fields are right: there are as many keys as there may be.
    if (failure?.code !== "invalid_request") throw error;
    return refuseForm(deps, request, 409, [{ path: "", message: failure.message }]);
  }
}

function refuseForm(
  deps: PageDeps,
  { form, environment }: PageRequest,
  status: number,
  faults: readonly FieldError[],
): HtmlPage {
  const sent = (name: string) => form.get(name)?.[0] ?? "";
  const values: KeyFormValues = {
    name: sent("name"),
    scopes: form.get("scopes") ?? [],
    expires: sent("expires"),
    formId: isId("form", sent("form_id")) ? sent("form_id") : newId("form", deps.random),
  };
  const body = <KeyForm environment={environment} values={values} faults={faults} />;
  return { status, title: "Create a key", body };
}
