/** The search over guides and reference, for the header of their pages. */
export function SearchForm({ words = "" }: { words?: string }) {
  return (
    <search>
      <form action="/docs/search">
        <input type="search" name="q" value={words} placeholder="Search the docs" aria-label="Search the docs" />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}
