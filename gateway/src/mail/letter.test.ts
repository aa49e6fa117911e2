import { toMail } from "./letter.js";

const url = "https://ship.example/x?a=1&b=2";

test("both forms say the same, in the same order, and load nothing from elsewhere", () => {
  const links = [{ words: "Sign in", url }];
  const { text, html } = toMail("a@b.example", { subject: "Hi", before: ["One.", "Two."], links, after: ["Three."] });
  expect(text).toBe(`Shipping Platform\n\nOne.\n\nTwo.\n\nSign in:\n${url}\n\nThree.\n`);
  const words = ["Shipping Platform", "One.", "Two.", "Sign in", "Three."].map((said) => html.indexOf(`>${said}<`));
  expect(words).toEqual([...words].sort((a, b) => a - b));
  expect(words.every((place) => place > 0)).toBe(true);
  expect(html).not.toMatch(/<img|<script|src=|url\(|@import|<link/);
  expect(html).toContain("prefers-color-scheme: dark");
});

test("what customers call things is text: no markup, no lines of its own, nothing that turns or hides", () => {
  const name = `<a href="https://evil.example">Win</a>\r\nhttps://evil.example\u2028\u202egpj`;
  const { subject, text, html } = toMail("a@b.example", {
    subject: name,
    before: [`In ${name}.`],
    links: [],
    after: [],
  });
  expect(html).not.toContain('<a href="https://evil');
  expect(text).not.toMatch(/^https:\/\/evil/m);
  for (const said of [subject, text, html]) expect(said).toContain("⟨U+202E⟩gpj");
  expect(subject).not.toMatch(/[\r\n]/);
});
