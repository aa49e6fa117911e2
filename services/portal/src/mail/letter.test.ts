import { toMail } from "./letter.js";

const url = "https://ship.example/x?a=1&b=2";

test("both forms have the same content in the same order, and load no external resources", () => {
  const links = [{ words: "Sign in", url }];
  const { text, html } = toMail("a@b.example", { subject: "Hi", before: ["One.", "Two."], links, after: ["Three."] });
  expect(text).toBe(`Shipping Platform\n\nOne.\n\nTwo.\n\nSign in:\n${url}\n\nThree.\n`);
  const words = ["Shipping Platform", "One.", "Two.", "Sign in", "Three."].map((said) => html.indexOf(`>${said}<`));
  expect(words).toEqual([...words].sort((a, b) => a - b));
  expect(words.every((place) => place > 0)).toBe(true);
  expect(html).not.toMatch(/<img|<script|src=|url\(|@import|<link/);
  expect(html).toContain("prefers-color-scheme: dark");
});

test("names that customers choose are text: no markup, no line breaks, no bidirectional or invisible characters", () => {
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
