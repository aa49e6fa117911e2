import { nameOf } from "../keys/keys.js";
import { Text, Time } from "../page/text.js";
import type { KeyInUse } from "./read-overview.js";

/** How much of its limit each key has used in the last minute. */
export function KeyUsage(props: { base: string; keys: readonly KeyInUse[]; limit: number; isAdmin: boolean }) {
  const { base, keys, limit, isAdmin } = props;
  return (
    <>
      <h2>Requests per key in the last minute</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Used</th>
            <th scope="col">Last used</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr>
              <td data-label="Key">
                <span>
                  <Text>{nameOf(key)}</Text> <code class="sub">…{key.lastFour}</code>
                </span>
              </td>
              <td data-label="Used">
                <span class="nowrap">
                  <meter
                    min={0}
                    max={limit}
                    high={limit * 0.8}
                    value={key.requests}
                    aria-label={`Requests of the key that ends in ${key.lastFour}`}
                  />
                  {key.requests} of {limit}
                </span>
              </td>
              <td data-label="Last used">{key.lastUsedAt ? <Time at={key.lastUsedAt} /> : "Never"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="paging">
        <a href={`${base}/keys`}>All API keys</a>
        {isAdmin && <a href={`${base}/keys/new`}>Create key</a>}
      </p>
    </>
  );
}
