import type { Environment } from "@shipping/kit/caller";
import { AREA_PATH, type Done } from "./page.js";
import { START } from "./text.js";

interface Message {
  /** Sentences that say what has happened. */
  words: string;
  /** The next step: its words, and its path after that of the environment or of the area. */
  next?: readonly [words: string, path: string];
}

const MESSAGES: Readonly<Record<Done, Message>> = {
  "key-revoked": {
    words: "Key revoked. Requests with it are refused from now on.",
    next: ["Create another key", "/{environment}/keys/new"],
  },
  "keys-revoked": {
    words: "Keys revoked. Requests with them are refused from now on.",
    next: ["See who used them in the request log", "/{environment}/requests"],
  },
  "endpoint-named": { words: "Name saved. Lists and histories show it from now on." },
  "subscription-disabled": {
    words: "Subscription disabled. No more events are sent to its endpoint.",
    next: ["Create another subscription", "/{environment}/webhooks/new"],
  },
  "label-voided": {
    words: "Label voided. Do not hand over the parcel with it. To ship it, create a new shipment.",
    next: ["All shipments", "/{environment}/shipments"],
  },
  "member-removed": {
    words: "Member removed, and signed out everywhere. API keys that this person has seen keep working.",
    next: ["Review the API keys", "/{environment}/keys"],
  },
  "view-saved": { words: "View saved. Open it again from the menu Views, which is above the list." },
  "view-renamed": { words: "View renamed." },
  "view-deleted": { words: "View deleted. The filters that it named can be saved again." },
  "account-left": {
    words:
      "You have left the account, and are signed out of it on every device. To return, ask one of its admins for an invitation.",
  },
  "role-changed": { words: "Role changed. It applies from the member's next request on." },
  "session-ended": { words: "Session ended. That device is signed out." },
  "member-signed-out": {
    words: "The member is signed out everywhere, and can sign in again with a new link.",
    next: ["See what they did in the audit log", "/audit"],
  },
  "account-switched": { words: "You have switched to this account." },
  "signed-out": { words: "You are signed out." },
  "signed-out-everywhere": { words: "You are signed out of the account on every device." },
};

export function isDone(code: string | undefined): code is Done {
  return code !== undefined && Object.hasOwn(MESSAGES, code);
}

/** Says what a form has just changed, and the next step. Screen readers begin here. */
export function DoneMessage({ done, environment }: { done: Done; environment: Environment }) {
  const { words, next } = MESSAGES[done];
  return (
    <div class="note good done" role="status" {...START}>
      <p>
        {words} {next && <a href={AREA_PATH + next[1].replace("{environment}", environment)}>{next[0]}</a>}
      </p>
    </div>
  );
}
