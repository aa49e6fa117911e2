/** The links to the files of a list. The script shows how many rows of a file are written, of `rows` if their number is known. */
export function ExportLinks({ toFile, rows }: { toFile: (format: string) => string; rows: number | undefined }) {
  return (
    <span class="exports">
      {["csv", "xlsx"].map((format) => (
        <a
          class="button quiet"
          href={toFile(format)}
          title="The filtered rows, in the order of the list, up to 10,000"
          data-export={rows ?? ""}
          download
        >
          Export {format.toUpperCase()}
        </a>
      ))}
    </span>
  );
}
