import { fail } from "@shipping/kit/errors";
import { Confirmation } from "../page/form.js";
import { AREA_PATH, ask, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { Text, Time } from "../page/text.js";
import { keyName } from "./key-name.js";

const DAY_MS = 86_400_000;

export async function confirmRevoke(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id } = request;
  const list = `${AREA_PATH}/${environment}/keys`;
  const { key } = await ask(request, deps.access.getKey, { id });
  if (!key) throw fail("not_found");
  if (key.revokedAt) return { location: list };
  const isInUse = key.lastUsedAt !== undefined && deps.now().getTime() - Date.parse(key.lastUsedAt) < DAY_MS;
  return htmlPage(
    "Revoke a key",
    <Confirmation
      question={`Revoke ${environment} key …${key.lastFour}?`}
      facts={{
        Name: <Text>{keyName(key)}</Text>,
        "Last used": key.lastUsedAt ? <Time at={key.lastUsedAt} /> : "Never",
        Created: <Time at={key.createdAt} />,
      }}
      submit="Revoke key"
      cancel={list}
    >
      {isInUse && (
        <p>
          <strong>This key was used in the last 24 hours.</strong> Any program that still uses it stops working
          immediately.
        </p>
      )}
      <p>Requests with this key are refused immediately. You cannot undo this.</p>
    </Confirmation>,
  );
}

export async function submitRevoke(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id, actor } = request;
  await ask(request, deps.access.revokeKey, { actor, id });
  return { location: `${AREA_PATH}/${environment}/keys` };
}
