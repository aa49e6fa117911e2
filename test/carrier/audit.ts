import { countUnsettled } from "@shipping/carrier/testing/stored-bookings";
import { storedLabels } from "@shipping/carrier/testing/stored-labels";
import type { ClusterUnderTest } from "../platform/cluster.js";
import type { Played } from "../trials/carrier/play-chain.js";
import type { Entry } from "./simulator/ledger.js";

/** Counts that must all be 0. */
export interface Audit {
  /** Bookings that will be charged and have no label. */
  chargedWithoutLabel: number;
  /** Labels whose booking is cancelled or missing. */
  labelsWithoutBooking: number;
  /** Shipments with two bookings that will be charged. */
  chargedTwice: number;
  /** Responses that no customer should see, and keys that produced no label. */
  wrongAnswers: number;
  /** Shipments whose customers were told of two labels, or of a missing one. */
  answersDiffer: number;
  /** Acknowledged voids, and labels without a void, that are in the wrong state. */
  wrongStates: number;
  /** Labels that no customer was told of. */
  unknownLabels: number;
  /** Bookings with an open task at the carrier. */
  unsettled: number;
}

/** Compares what the carrier will charge for, what is stored, and what customers were told. */
export async function audit(
  { databases }: Pick<ClusterUnderTest, "databases">,
  accountId: string,
  { played, ledger }: { played: readonly Played[]; ledger: readonly Entry[] },
): Promise<Audit> {
  const labels = await storedLabels(databases.carrier, accountId);
  const standing = ledger.filter(({ isCancelled }) => !isCancelled);
  const charged = new Set(standing.map(({ trackingNumber }) => trackingNumber));
  const created = new Set(
    labels.flatMap(({ status, trackingNumber }) => (status === "created" ? [trackingNumber] : [])),
  );
  const ofShipment = new Map(labels.map((label) => [label.shipmentId, label]));
  const told = new Set(played.map(({ shipmentId }) => shipmentId));
  const isAsTold = ({ shipmentId, end, labelId }: Played) => {
    const label = ofShipment.get(shipmentId);
    if (end === "refused") return label === undefined;
    return label?.id === labelId && label?.status === (end === "voided" ? "voided" : "created");
  };

  return {
    chargedWithoutLabel: [...charged].filter((number) => !created.has(number)).length,
    labelsWithoutBooking: [...created].filter((number) => !charged.has(number)).length,
    chargedTwice: standing.length - new Set(standing.map(({ shipmentReference }) => shipmentReference)).size,
    wrongAnswers: played.reduce((sum, { wrong }) => sum + wrong.length, 0),
    answersDiffer: played.filter(({ answers }) => new Set(answers).size > 1).length,
    wrongStates: played.filter((one) => !isAsTold(one)).length,
    unknownLabels: labels.filter(({ shipmentId }) => !told.has(shipmentId)).length,
    unsettled: await countUnsettled(databases.carrier, accountId),
  };
}
