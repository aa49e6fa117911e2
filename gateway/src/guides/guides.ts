/** A page for integrators: where it is served below `/docs`, its file in the repository, and what it is called in the list. */
export interface Guide {
  slug: string;
  file: string;
  title: string;
  /** What it is about, in a line. */
  about: string;
}

/** All of them, in the order of reading. */
export const guides: readonly Guide[] = [
  ["quick-start", "Quick start", "From nothing to the PDF of a label in five steps."],
  ["idempotency", "Idempotency", "Repeat any request without a second label."],
  ["errors", "Errors and retries", "Which failures to repeat, and which to look at."],
  ["pagination", "Pagination", "Read lists to their end."],
  ["webhooks", "Webhooks", "Receive events and verify their signatures, in six languages."],
  ["limits", "Limits", "Requests per minute, sizes, lengths."],
  ["environments", "Environments", "Sandbox and live, keys and scopes."],
  ["testing", "Testing", "Try your integration, its failures included."],
  ["versioning", "Versions and changes", "What can change within v1, and what your client must tolerate."],
  ["changelog", "Changelog", "What has changed, newest first."],
]
  .map(([slug = "", title = "", about = ""]) => ({ slug, title, about, file: `docs/${slug}.md` }))
  .concat({
    slug: "client",
    title: "TypeScript client",
    about: "Retries, pages, typed errors and webhooks, done for you.",
    file: "client/README.md",
  })
  .concat({
    slug: "client-methods",
    title: "Client methods",
    about: "Every method of the TypeScript client: its request, scope and answer.",
    file: "docs/client-methods.md",
  });
