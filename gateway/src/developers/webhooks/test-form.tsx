import type { Environment } from "@shipping/kit/caller";
import { AccountForm } from "../page/account-form.js";
import { AREA_PATH } from "../page/page.js";
import { Note } from "../page/text.js";
import type { Subscription } from "./subscriptions.js";

interface About {
  subscription: Subscription;
  environment: Environment;
  mayChange: boolean;
  formId: string;
}

/** How a subscription is tested: by a button, or why there is none. */
export function TestSection(about: About) {
  return (
    <>
      <h2>Send a test</h2>
      <TestForm {...about} />
    </>
  );
}

/** The button, with what it does. */
export function TestForm({ subscription, environment, mayChange, formId }: About) {
  if (environment === "live") {
    return (
      <Note kind="hint">
        <p>
          You can send tests only in the sandbox, because live shipments are real.{" "}
          <a href="/docs/testing">How to test</a>
        </p>
      </Note>
    );
  }
  if (subscription.status !== "active") return <p>This subscription is disabled, so nothing is sent to it.</p>;
  if (!mayChange) return <p>Only admins of this account can send a test.</p>;
  return (
    <>
      <p>
        {`${whatItDoes(subscription)} and shows how your receiver responds to the events. `}
        Your other sandbox subscriptions receive these events too.
      </p>
      <AccountForm action={`${AREA_PATH}/${environment}/webhooks/${subscription.id}/test`}>
        <input type="hidden" name="form_id" value={formId} />
        <button type="submit">Send test</button>
      </AccountForm>
    </>
  );
}

/** Lists what a test creates: always a shipment and its label, the rest only if the subscription receives those events. */
function whatItDoes({ events }: Subscription): string {
  const order = events.includes("order.created") ? "an order, " : "";
  const voids = events.includes("label.voided") ? " voids the label," : "";
  return `A test creates ${order}a shipment and a label in the sandbox, marked as a test,${voids}`;
}
