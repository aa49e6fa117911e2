// No quoted local parts, comments or lists: whatever reads such an address differently would send the mail to somebody else.
const ADDRESS = /^(?=.{3,200}$)[^\s@\p{C}<>"(),:;\\[\]]+@[^\s@\p{C}<>"(),:;\\[\]]+$/u;

/** Whether a text is one email address and nothing more. */
export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** An address alone, or with a name before it: `Shipping <no-reply@example.com>`. */
export function parseSender(text: string): { name: string; address: string } | undefined {
  const [, name = "", inner] = /^([^<>"\p{Cc}]*)<([^<>]+)>$/u.exec(text) ?? [];
  const sender = { name: name.trim(), address: (inner ?? text).trim() };
  return isAddress(sender.address) ? sender : undefined;
}
