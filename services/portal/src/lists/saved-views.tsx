import { ID_FIELD } from "@shipping/api/input/fields";
import { isName } from "@shipping/api/input/name";
import type { FieldError } from "@shipping/kit/errors";
import { z } from "zod";
import { AccountForm, FormErrors, HiddenField, Input, TextField } from "../page/form.js";
import { ENVIRONMENT_SECTIONS, type HtmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { readField, submitForm } from "../page/read-form.js";
import { Text, titledPage } from "../page/text.js";
import {
  deleteView,
  listViews,
  MAX_VIEW_NAME,
  MAX_VIEW_QUERY,
  renameView,
  type SavedView,
  saveView,
  toViewQuery,
  VIEWED_LISTS,
  type ViewedList,
} from "./views.js";
import { viewPath, viewsPath } from "./views-menu.js";

/** The filters to save: of a list, and its query. */
export const viewsQuery = { list: { maxLength: 20 }, query: { maxLength: MAX_VIEW_QUERY } };

export const viewFields = {
  ...viewsQuery,
  act: { maxLength: 10 },
  view: ID_FIELD,
  name: { maxLength: MAX_VIEW_NAME },
};

const list = z.enum(VIEWED_LISTS, "must be chosen from the list");
const nameRule = `must have 1 to ${MAX_VIEW_NAME} characters, at least one of them visible, and no control characters`;
const name = z.string(nameRule).trim().refine(isName, nameRule);
const view = z.string("is required");
const change = z.discriminatedUnion(
  "act",
  [
    z.strictObject({ act: z.literal("save"), list, query: z.string("is required"), name }),
    z.strictObject({ act: z.literal("rename"), view, name }),
    z.strictObject({ act: z.literal("delete"), view }),
  ],
  "is not one of save, rename and delete",
);

interface Shown {
  /** The filters to save, if the page was opened for that. */
  wanted: Pick<SavedView, "list" | "query"> | undefined;
  /** The name that was sent with the filters. */
  name: string;
  errors: readonly FieldError[];
}

export async function showViews(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const views = await listViews(deps, request.session.memberId);
  const get = (name: string) => request.query.get(name) ?? "";
  return viewsPage(request, views, { wanted: toWanted(get("list"), get("query")), name: "", errors: [] });
}

function toWanted(list: string, query: string): Shown["wanted"] {
  const filters = toViewQuery(new URLSearchParams(query));
  return isViewed(list) && filters !== "" ? { list, query: filters } : undefined;
}

const isViewed = (list: string): list is ViewedList => (VIEWED_LISTS as readonly string[]).includes(list);

/** `POST …/views`: saves, renames or deletes a view of the member. */
export async function submitViews(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, environment, session } = request;
  const { memberId } = session;
  const views = await listViews(deps, memberId);
  const location = viewsPath(environment);
  const wanted = toWanted(readField(form, "list"), readField(form, "query"));
  return submitForm(form, {
    schema: change,
    fields: viewFields,
    list: location,
    show: (errors) => viewsPage(request, views, { wanted, name: readField(form, "name"), errors }),
    async act(asked) {
      if (asked.act === "delete") {
        await deleteView(deps, memberId, asked.view);
        return { location, done: "view-deleted" };
      }
      if (asked.act === "rename") {
        await renameView(deps, memberId, { id: asked.view, name: asked.name });
        return { location, done: "view-renamed" };
      }
      const saved = { list: asked.list, query: toViewQuery(new URLSearchParams(asked.query)) };
      await saveView(deps, memberId, { ...saved, name: asked.name });
      return { location: viewPath(environment, saved), done: "view-saved" };
    },
  });
}

function viewsPage(
  { environment }: PageRequest,
  views: readonly SavedView[],
  { wanted, name, errors }: Shown,
): HtmlPage {
  return titledPage(
    "Saved views",
    <>
      {wanted ? (
        <FormErrors errors={errors} fields={{ name: "Name" }} />
      ) : (
        <FormErrors errors={errors.map(ofOneView)} fields={{}} />
      )}
      {wanted && (
        <AccountForm fields={viewFields} errors={errors}>
          <HiddenField name="act" value="save" />
          <HiddenField name="list" value={wanted.list} />
          <HiddenField name="query" value={wanted.query} />
          <TextField
            name="name"
            label="Name"
            hint={`A name for these filters of ${wanted.list}. A view of yours with the same name is replaced.`}
            value={name}
            autofocus={errors.length === 0}
            autocomplete="off"
          />
          <div class="actions">
            <button type="submit">Save view</button>
            <a href={viewPath(environment, wanted)}>Cancel</a>
          </div>
        </AccountForm>
      )}
      {views.length === 0 ? (
        !wanted && <p>You have no saved views yet. Filter a list, and save its filters in the menu Views.</p>
      ) : (
        <>
          <p>Views are yours: other members do not see them. They are the same in the sandbox and in live.</p>
          <ul class="saved-views">
            {views.map((view) => (
              <li>
                <p>
                  <a href={viewPath(environment, view)}>
                    <Text>{view.name}</Text>
                  </a>{" "}
                  <span class="beside">{ENVIRONMENT_SECTIONS[view.list]}</span>
                </p>
                <ChangeView view={view} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>,
  );
}

/** The error of a form of which the page has one for each view, so that no field can be named. */
const ofOneView = ({ path, message }: FieldError): FieldError => ({
  path: "",
  message: /^[A-Z]/.test(message) ? message : `The ${path} ${message}.`,
});

function ChangeView({ view: { id, name } }: { view: SavedView }) {
  return (
    <div class="row-actions">
      <AccountForm fields={viewFields}>
        <HiddenField name="act" value="rename" />
        <HiddenField name="view" value={id} />
        <Input name="name" value={name} required autocomplete="off" aria-label={`New name of ${name}`} />
        <button type="submit" class="quiet">
          Rename
        </button>
      </AccountForm>
      <AccountForm fields={viewFields}>
        <HiddenField name="act" value="delete" />
        <HiddenField name="view" value={id} />
        <button type="submit" class="quiet" aria-label={`Delete ${name}`}>
          Delete
        </button>
      </AccountForm>
    </div>
  );
}
