// The recipes of `docs/webhooks.md`. A test compares them with the guide.

/** How a receiver on Node verifies a delivery. */
export const NODE_RECIPE = `import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_SECONDS = 300;

/** \`body\` is the raw bytes of the request, \`now\` the time in Unix seconds. */
export function verify(secret, header, body, now = Date.now() / 1000) {
  const [, time, digest] = /^t=([0-9]{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (!time || Math.abs(now - Number(time)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac("sha256", secret).update(\`\${time}.\`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(digest, "hex"));
}`;

/** The same in Python. */
export const PYTHON_RECIPE = `import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300
HEADER = re.compile("t=([0-9]{1,12}),v1=([0-9a-f]{64})")


def verify(secret, header, body, now=None):
    """\`body\` is the raw bytes of the request, \`now\` the time in Unix seconds."""
    parts = HEADER.fullmatch(header)
    if parts is None:
        return False
    sent, digest = parts.groups()
    if now is None:
        now = time.time()
    if abs(now - int(sent)) > TOLERANCE_SECONDS:
        return False
    expected = hmac.new(secret.encode(), sent.encode() + b"." + body, hashlib.sha256)
    return hmac.compare_digest(expected.hexdigest(), digest)`;
