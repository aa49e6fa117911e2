import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import type { FailingSubscription } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { Letter } from "../../mail/letter.js";
import { AREA_PATH } from "../page/page.js";
import { wordsOf } from "../webhooks/failure-words.js";
import { hostOf } from "../webhooks/subscriptions.js";

/** The most subscriptions that the email lists; an account can have ten active ones in each environment. */
const MAX_NAMED = 20;

/**
 * The email to the admins of an account about subscriptions that have been failing for a day. It shows only the host of a URL: path and query may
 * hold a token.
 */
export function failingLetter(about: {
  accountName: string;
  origin: string;
  subscriptions: readonly FailingSubscription[];
}): Letter {
  const { accountName, origin, subscriptions } = about;
  const named = subscriptions.slice(0, MAX_NAMED);
  const more = subscriptions.length - named.length;
  const [first] = named;
  return {
    subject:
      first && subscriptions.length === 1
        ? `Webhooks to ${hostOf(first.url)} have been failing for a day`
        : `${subscriptions.length} webhook subscriptions of ${accountName} have been failing for a day`,
    before: [...named.map(paragraphOf), ...(more > 0 ? [`And ${more} more.`] : [])],
    links: named.map(({ url, subscriptionId, owner }) => ({
      words: `Health of the ${owner?.environment} subscription to ${hostOf(url)}`,
      url: `${origin}${AREA_PATH}/${owner?.environment}/webhooks/${subscriptionId}`,
    })),
    after: [
      `We stop sending an event after ${MAX_ATTEMPTS} failed attempts. Once your receiver works again, retrieve the missed changes from the API.`,
      `You receive this email because you are an admin of ${accountName}. We send it once. You get another one only if deliveries recover and then fail for a day again.`,
    ],
  };
}

function paragraphOf({ url, owner, failingSince, lastFailure }: FailingSubscription): string {
  const since = `${failingSince.slice(0, 10)} ${failingSince.slice(11, 16)} UTC`;
  const { what, remedy } = wordsOf(lastFailure ?? { reason: "" });
  return `No ${owner?.environment} events have been delivered to ${hostOf(url)} since ${since}. Last failure: ${what}. ${remedy}`;
}
