// The pages' script, with ask.js and live.js. They work without it. It moves between results by key, selects all labels, passes on links, wipes secrets, reloads pages
// restored by Back, asks for new rows, shows times in the reader's zone, and copies.

const passedOn = document.querySelector("form[data-link]");
function passLink() {
  if (!passedOn || location.hash.length < 2) return;
  passedOn.elements.link.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  passedOn.submit();
}
addEventListener("hashchange", passLink);
passLink();
addEventListener("pagehide", () => {
  for (const secret of document.querySelectorAll("#secret, .secret")) secret.textContent = "";
});
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  const secret = document.getElementById("secret");
  if (secret) location.replace(secret.dataset.list);
  else location.reload();
});
const hour = { hour: "numeric", minute: "2-digit" };
const hours = new Intl.DateTimeFormat(undefined, hour);
const day = { month: "short", day: "numeric" };
const clock = new Intl.DateTimeFormat(undefined, { ...day, year: "numeric", timeZoneName: "short", ...hour });
// In lists: minutes ago, the time of today, or the day, with its year if it is another one.
const isWide = matchMedia("(min-width: 75.01rem)").matches;
const ago = new Intl.RelativeTimeFormat(undefined, { style: "narrow" });
const formatShort = (at, now = new Date()) => {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes >= 0 && minutes < 60) return minutes ? ago.format(-minutes, "minute") : "just now";
  if (at.toDateString() === now.toDateString()) return hours.format(at);
  const isThisYear = at.getFullYear() === now.getFullYear();
  return at.toLocaleString(undefined, isThisYear ? { ...day, ...(isWide && hour) } : { ...day, year: "numeric" });
};
// How long ago, or how soon, in English like the page.
const steps = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const inWords = new Intl.RelativeTimeFormat("en");
const formatAgo = (at) => {
  const ms = Date.now() - at;
  const [unit, each] = steps.find(([, each]) => Math.abs(ms) >= each) ?? [];
  return unit ? inWords.format(-Math.trunc(ms / each), unit) : ms >= 0 ? "just now" : "in less than a minute";
};
function showTimes(root) {
  for (const time of root.querySelectorAll("time[title]:not(.day)")) showTime(time);
  for (const title of root.querySelectorAll("title[data-at]"))
    title.textContent = title.textContent.replace(/^.*UTC/, clock.format(new Date(title.dataset.at)));
}
function showTime(time) {
  const at = new Date(time.dateTime);
  time.textContent = time.closest(".axis")
    ? hours.format(at)
    : time.matches(".short")
      ? formatShort(at)
      : time.matches(".ago")
        ? formatAgo(at)
        : clock.format(at);
  if (time.matches(".short, .ago"))
    time.title = `${clock.format(at)} (${at.toISOString().slice(0, 19).replace("T", " ")} UTC)`;
}
showTimes(document);
// Keeps the zone in which the times of a filter were entered.
const { timeZone } = clock.resolvedOptions();
for (const name of document.querySelectorAll(".zone"))
  if (!name.closest("form")?.elements.zone.value) name.textContent = timeZone;
for (const field of document.querySelectorAll("input[name=zone]")) field.value ||= timeZone;
for (const link of document.querySelectorAll("a[data-zone]")) link.search += `&zone=${encodeURIComponent(timeZone)}`;
// For screen readers, which do not announce a button that changes.
const status = document.createElement("span");
status.className = "unseen";
status.role = "status";
document.body.append(status);
function addCopies(root) {
  if (!navigator.clipboard) return;
  for (const source of root.querySelectorAll("[data-copy]")) {
    const isInline = source.matches("code, a, bdi");
    const button = document.createElement("button");
    button.type = "button";
    button.className = isInline ? "copy-id" : "copy";
    const show = (words) => {
      if (isInline) button.ariaLabel = words === "Copy" ? `Copy ${source.textContent}` : words;
      else button.textContent = words;
      button.classList.toggle("done", words === "Copied");
    };
    if (isInline) button.title = "Copy";
    show("Copy");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(source.textContent);
      show("Copied");
      status.textContent = "Copied";
      setTimeout(() => {
        show("Copy");
        status.textContent = "";
      }, 2000);
    });
    const frame = document.createElement(isInline ? "span" : "div");
    frame.className = isInline ? "copyable-id" : "copyable";
    source.replaceWith(frame);
    frame.append(source, button);
  }
}
addCopies(document);

const searchBox = document.querySelector("search input");
// People who dictate or type with a switch must be able to turn off a shortcut of one character (WCAG 2.1.4).
let usesSlash = true;
try {
  usesSlash = localStorage.getItem("search-by-slash") !== "off";
} catch {
  // The browser stores no preference, so each page begins with the shortcut on.
}
const choice = document.getElementById("slash");
if (choice) {
  choice.hidden = false;
  choice.firstElementChild.checked = usesSlash;
  choice.addEventListener("change", ({ target }) => {
    usesSlash = target.checked;
    localStorage.setItem("search-by-slash", usesSlash ? "on" : "off");
  });
}
// `/` goes to the search; the arrows go from there through the results of a page, and Enter opens one.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !searchBox) return;
  const types = event.target.matches("input:not([type=checkbox]), select, textarea");
  if (event.key === "/" && usesSlash && !types) {
    event.preventDefault();
    searchBox.select();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const results = [...document.querySelectorAll("[data-result]")];
  const at = results.indexOf(event.target);
  if (!step || results.length === 0 || (at < 0 && event.target !== searchBox)) return;
  event.preventDefault();
  (results[at + step] ?? (step < 0 ? searchBox : results[at])).focus();
});
// A box that is unfolded closes with Escape, and with a click beside it.
const isUnfolded = ".menu[open], .fold[open]";
addEventListener("click", ({ target }) => {
  for (const box of document.querySelectorAll(isUnfolded)) if (!box.contains(target)) box.open = false;
});
addEventListener("keydown", ({ key }) => {
  const box = key === "Escape" && document.querySelector(isUnfolded);
  if (!box) return;
  box.open = false;
  box.firstElementChild.focus();
});
for (const form of document.querySelectorAll("form.selection")) {
  const boxes = [...form.querySelectorAll("td.select input")].slice(0, 100);
  if (boxes.length === 0) continue;
  const all = document.createElement("input");
  all.type = "checkbox";
  all.ariaLabel = "Select all";
  const number = document.createElement("span");
  number.role = "status";
  const count = () => {
    const { length } = boxes.filter((box) => box.checked);
    number.textContent = length ? `${length} selected` : "";
    all.checked = length === boxes.length;
    all.indeterminate = length > 0 && !all.checked;
  };
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
  });
  form.addEventListener("change", count);
  form.querySelector(".list-bar").prepend(all);
  form.querySelector(".merge").after(number);
  count();
}
// Lists ask now and then whether they have new rows. A hidden page does not ask, and one that gets no answer three times in a row stops.
const ASK_MS = 15_000;
for (const news of document.querySelectorAll("[data-news]")) {
  let failures = 0;
  let askedAt = Date.now();
  let timer;
  const show = ({ count = 0, changed = false }) => {
    const words = count >= 100 ? "100 or more new" : `${count} new`;
    if (!count && !changed) return;
    const link = document.createElement("a");
    link.href = location.href;
    link.textContent = changed
      ? "The list has changed: show it as it is now"
      : `${words}: show ${count === 1 ? "it" : "them"}`;
    if (news.textContent !== link.textContent) news.replaceChildren(link);
  };
  const ask = async () => {
    askedAt = Date.now();
    try {
      const answer = await fetch(news.dataset.news, { signal: AbortSignal.timeout(ASK_MS) });
      if (answer.status === 401 || answer.redirected) failures = Infinity;
      else if (!answer.ok) throw new Error(answer.statusText);
      else {
        failures = 0;
        show(await answer.json());
      }
    } catch {
      failures++;
    }
    plan();
  };
  const plan = () => {
    clearTimeout(timer);
    if (failures >= 3 || document.hidden) return;
    timer = setTimeout(ask, Math.max(0, askedAt + ASK_MS * 2 ** failures - Date.now()));
  };
  document.addEventListener("visibilitychange", plan);
  plan();
}
