import { countEdits } from "@shipping/kit/count-edits";

/** The names of our fields and parameters in other APIs. */
const OTHER_NAMES: Readonly<Record<string, RegExp>> = {
  reference: /^(?:reference|order)_?(?:number|no|id|ref)$|^external_?id$/i,
  from: /^(?:sender|shipper|origin|(?:address|ship)_?from|from_?address)$/i,
  to: /^(?:recipient|receiver|consignee|destination|(?:address|ship)_?to|to_?address)$/i,
  parcel: /^(?:parcels|packages?)$/i,
  name: /^(?:(?:full|contact|person)_?name|attention)$/i,
  street1: /^(?:(?:address_?|address_?line_?|line_?|street_?line_?)1|address|street)$/i,
  street2: /^(?:address_?|address_?line_?|line_?|street_?line_?)2$/i,
  city: /^(?:town|locality|city_?locality)$/i,
  postal_code: /^(?:zip|post)_?(?:code)?$/i,
  state: /^(?:province|region|county|administrative_?area)(?:_?code)?$/i,
  country: /^country_?(?:code|iso2?|alpha2)?$/i,
  phone: /^(?:tele?phone|mobile)(?:_?number)?$/i,
  url: /^(?:endpoint|target|callback|webhook|destination)(?:_?url)?$/i,
  events: /^(?:enabled_?events|event_?types?|topics?|types)$/i,
  rate_id: /^rate$/i,
  shipment_id: /^shipment$/i,
  limit: /^(?:per_?page|page_?size|size|count|take|first|max_?results)$/i,
  after:
    /^(?:page|offset|skip|start|cursor|next|(?:next|page|start)_?(?:cursor|token|page)|starting_?after|page_?number)$/i,
};

/**
 * The most similar of the names: one that begins with the other, such as `weight` and `weight_kg`, or whose distance is at most a third of its
 * length.
 */
export function findSimilar(name: string, names: readonly string[]): string | undefined {
  const other = names.find((own) => OTHER_NAMES[own]?.test(name));
  if (other) return other;
  const toLetters = (text: string) =>
    text
      .slice(0, 30)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, "");
  const letters = toLetters(name);
  const similar = names.flatMap((other) => {
    const others = toLetters(other);
    const [short, long] = letters.length < others.length ? [letters, others] : [others, letters];
    const isBeginning = short.length > 2 && long.startsWith(short);
    // Compares the lengths first: they differ in most pairs, and the distance is expensive.
    if (!isBeginning && long.length - short.length > long.length / 3) return [];
    const distance = countEdits(short, long);
    return isBeginning || distance <= long.length / 3 ? [{ other, distance }] : [];
  });
  return similar.sort((a, b) => a.distance - b.distance)[0]?.other;
}
