// Keeps a page's facts fresh while it is in sight: every fifteen seconds, it asks whether they have changed, and then shows the page again.

const page = document.querySelector("main[data-live]");
const EVERY_MS = 15_000;

async function refreshFacts() {
  const { ok, headers } = await fetch(location.href, { method: "HEAD", redirect: "error" });
  const version = headers.get("live-version");
  // A page that failed, or a session that has ended, leaves what is shown.
  if (!ok || !version || version === page.dataset.live) return;
  const request = new XMLHttpRequest();
  request.open("GET", location.href);
  request.responseType = "document";
  request.addEventListener("load", () => {
    const fresh = request.response?.querySelector("main[data-live]");
    if (fresh) show(fresh);
  });
  request.send();
}

// Keeps the focus on the link or button that had it. Leaves a page alone in which text is selected, or which has asked something in a dialog: the focus
// returns from there to a link of the page.
function show(fresh) {
  if (String(getSelection()) !== "" || document.querySelector("dialog[open]")) return;
  const focused = page.contains(document.activeElement) ? document.activeElement : undefined;
  const [id, href] = [focused?.id, focused?.getAttribute("href")];
  page.dataset.live = fresh.dataset.live;
  page.replaceChildren(...fresh.childNodes);
  showTimes(page);
  addCopies(page);
  const again = [...page.querySelectorAll("a, button, input, summary")].find(
    (one) => (id && one.id === id) || (href && one.getAttribute("href") === href),
  );
  again?.focus({ preventScroll: true });
  status.textContent = "Updated";
}

if (page) {
  setInterval(() => {
    if (document.hidden) return;
    showTimes(page);
    refreshFacts().catch(() => {});
  }, EVERY_MS);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) refreshFacts().catch(() => {});
  });
}
