import { orderInput, shipmentInput } from "@shipping/api/input/schemas";
import type { z } from "zod";

/** The members of orders and shipments that have a place of their own on pages and in files. */
const PLACED = new Set(["reference", "from", "to", "parcel", "metadata", "order_id"]);

const furtherIn = (input: z.ZodObject) => Object.keys(input.shape).filter((name) => !PLACED.has(name));

/** The names of all other members. Pages, lists, searches and files show each of them. */
export const FURTHER = furtherIn(shipmentInput);

/** The text of such a member; empty if the record has none. */
export const furtherText = (record: object, name: string) => String((record as Record<string, unknown>)[name] ?? "");

const toWords = (name: string) => name.replaceAll("_", " ");

export const headingOf = (name: string) => toWords(name).replace(/^./, (letter) => letter.toUpperCase());

/** Lists the fields that a search covers, for a sentence. */
function searchedIn(input: z.ZodObject): string {
  const fields = "name, company, street, city, state, country, postal code, email address, reference";
  return [fields, ...furtherIn(input).map(toWords)].join(", ");
}

const [order, shipment] = [searchedIn(orderInput), searchedIn(shipmentInput)];
const digits = "4 digits of a phone number or a tracking number";

/** The hints below the search fields of lists, and of the search across all sections. */
export const SEARCH_HINTS = {
  orders: `A ${order}, metadata value or ID, or 4 digits of a phone number. Add words to narrow the results.`,
  shipments: `A ${shipment}, metadata value, tracking number or ID, or ${digits}. Add words to narrow the results.`,
  labels: `A tracking number or ID, or words of the shipment: a ${shipment}, or ${digits}.`,
  all: `Enter what the customer says: a ${shipment} or tracking number, or ${digits}. Add words to narrow the results.`,
};
