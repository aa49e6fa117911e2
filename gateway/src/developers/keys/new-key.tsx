import type { CreatedKey } from "../../accounts/manage-keys.js";
import { AREA_PATH } from "../page/page.js";
import { Note, Text, Time } from "../page/text.js";

/** Shows a key, this once. */
export function NewKeyPage({ created, name, list }: { created: CreatedKey; name: string; list: string }) {
  const { key, expiresAt, environment } = created;
  return (
    <>
      <h1>{environment === "live" ? "Your new live key" : "Your new sandbox key"}</h1>
      <Note kind="good">
        <p>
          <strong>Copy it now.</strong> It is shown only once. We store only a hash, so nobody can look it up later.
        </p>
        <output id="secret" data-copy data-list={list}>
          {key}
        </output>
      </Note>
      <dl>
        <dt>Name</dt>
        <dd>
          <Text>{name}</Text>
        </dd>
        <dt>Expires</dt>
        <dd>{expiresAt ? <Time at={expiresAt} /> : "Never"}</dd>
      </dl>
      <p>Keep the key on your server. Never put it in browsers, mobile apps, repositories or URLs.</p>
      <div class="actions">
        {environment === "sandbox" && (
          <a class="button" href={`${AREA_PATH}/quick-start`}>
            Create your first label
          </a>
        )}
        <a href={list}>All keys</a>
      </div>
    </>
  );
}
