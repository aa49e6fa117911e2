// Files that take a while: says how far an export is, and that labels are being merged. Without it, the browser waits for the file.

const LABELS = { one: "label", other: "labels" };
const counted = (number, { one, other }) => `${number.toLocaleString("en")} ${number === 1 ? one : other}`;

/** A line at the bottom of the window. */
function showProgress() {
  document.querySelector(".progress")?.remove();
  const box = document.createElement("div");
  box.className = "progress";
  const bar = document.createElement("progress");
  bar.ariaLabel = "Progress";
  const words = document.createElement("p");
  words.role = "status";
  const close = document.createElement("button");
  close.type = "button";
  close.className = "quiet";
  close.textContent = "Close";
  close.addEventListener("click", () => box.remove());
  box.append(words, bar);
  document.body.append(box);
  return {
    say(text, part) {
      words.textContent = text;
      if (part) bar.value = part;
    },
    end(text) {
      words.textContent = text;
      bar.replaceWith(close);
    },
  };
}

function save(parts, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const nameOf = ({ headers }) => /filename="([^"]+)"/.exec(headers.get("content-disposition"))?.[1];

/** Reads frames: the number of rows so far, the length of the bytes, and the bytes. */
async function* framesOf(body) {
  let kept = new Uint8Array();
  for (const reader = body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    const all = new Uint8Array(kept.length + value.length);
    all.set(kept);
    all.set(value, kept.length);
    kept = all;
    while (kept.length >= 8) {
      const view = new DataView(kept.buffer, kept.byteOffset);
      const end = 8 + view.getUint32(4);
      if (kept.length < end) break;
      yield { rows: view.getUint32(0), bytes: kept.slice(8, end) };
      kept = kept.slice(end);
    }
  }
}

for (const link of document.querySelectorAll("a[data-export]"))
  link.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (link.ariaBusy) return;
    link.ariaBusy = "true";
    const most = Math.min(Number(link.dataset.export), 10_000);
    const total = most ? ` of ${most.toLocaleString("en")}` : "";
    const progress = showProgress();
    progress.say("Writing rows …");
    let written = 0;
    try {
      const url = new URL(link.href);
      url.searchParams.set("framed", "1");
      const response = await fetch(url);
      const name = nameOf(response);
      if (!response.ok || !name) return location.assign(link.href);
      const parts = [];
      for await (const { rows, bytes } of framesOf(response.body)) {
        written = rows;
        parts.push(bytes);
        progress.say(`${rows.toLocaleString("en")}${total} rows written`, most && Math.min(rows / most, 1));
      }
      save(parts, name);
      progress.end(`${counted(written, { one: "row", other: "rows" })} written to ${name}.`);
    } catch {
      progress.end(`The export ended early, after ${written.toLocaleString("en")} rows. Try again.`);
    } finally {
      link.ariaBusy = null;
    }
  });

for (const form of document.querySelectorAll("form.selection"))
  form.addEventListener("submit", async (event) => {
    const button = event.submitter;
    const labels = new FormData(form).getAll("label");
    if (!button?.matches(".merge") || labels.length === 0) return;
    event.preventDefault();
    button.disabled = true;
    const progress = showProgress();
    const merging = `Merging ${counted(labels.length, LABELS)} …`;
    progress.say(merging);
    try {
      const url = `${form.action}?${new URLSearchParams(labels.map((id) => ["label", id]))}`;
      let response = await fetch(url);
      if (response.status === 503) {
        progress.say(`${merging} The server is busy, so this begins again in a few seconds.`);
        await new Promise((resolve) => setTimeout(resolve, 1_000 * Number(response.headers.get("retry-after") ?? 5)));
        response = await fetch(url);
      }
      const name = response.ok && nameOf(response);
      // The page says why there is no PDF.
      if (!name) return form.submit();
      save([await response.blob()], name);
      progress.end(`${counted(labels.length, LABELS)} merged into ${name}.`);
    } catch {
      progress.end("The connection was lost, so there is no PDF. Try again.");
    } finally {
      button.disabled = false;
    }
  });
