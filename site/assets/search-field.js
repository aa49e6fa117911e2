// The search of the documentation as you type: a combobox (WAI-ARIA 1.2). Its index is loaded when the field gets the focus for the first time.

const form = document.querySelector("search form");
const field = form.elements.q;
const { engine, finder, index } = form.dataset;

const isMac = /^(?:Mac|iP)/.test(navigator.platform);

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const count = element("p", { role: "status" });
const list = element("div", { id: "found", role: "listbox", ariaLabel: "Results", hidden: true });
form.after(element("div", { className: "found" }, count, list));
Object.assign(field, { role: "combobox", ariaAutoComplete: "list", ariaExpanded: "false", autocomplete: "off" });
field.setAttribute("aria-controls", list.id);
field.setAttribute("aria-keyshortcuts", isMac ? "Meta+K" : "Control+K");
if (matchMedia("(hover: hover)").matches) field.placeholder += isMac ? " (⌘ K)" : " (Ctrl K)";

let opened;
let splitAtHits;
/** The element that had the focus before the shortcut moved it. */
let left;

function open() {
  opened ??= Promise.all([import(engine), import(finder), load(index)]).then(
    ([{ default: MiniSearch }, rules, json]) => {
      ({ splitAtHits } = rules);
      return rules.openIndex(MiniSearch, json);
    },
  );
  return opened;
}

async function load(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} has status ${response.status}.`);
  return response.text();
}

async function find() {
  const asked = field.value.trim();
  if (asked === "") return close();
  try {
    const search = await open();
    // The text has changed, or the reader has left, while the index was loaded.
    if (field.value.trim() === asked && document.activeElement === field) show(asked, search(asked));
  } catch {
    opened = undefined;
    close();
    count.textContent = "The search could not be loaded. Press Enter to see all headings.";
  }
}

function show(asked, hits) {
  list.replaceChildren(...hits.map(toOption));
  list.hidden = hits.length === 0;
  field.ariaExpanded = String(hits.length > 0);
  count.textContent = describe(asked, hits.length);
  activate(0);
}

function describe(asked, hits) {
  if (hits > 0) return hits === 1 ? "1 result" : `${hits} results`;
  return `No results for “${asked}”. Check the spelling, or use fewer words. You can also search for a path such as /labels, a field such as weight_kg, or an error code such as not_found.`;
}

function toOption({ href, title, of, excerpt, terms }, number) {
  const marked = (text) =>
    splitAtHits(text, terms).map((part, index) => (index % 2 ? element("mark", {}, part) : part));
  const parts = [
    element("strong", {}, ...marked(title)),
    " ",
    element("span", { className: "of" }, of),
    element("p", {}, ...marked(excerpt)),
  ];
  return element("a", { id: `found-${number}`, role: "option", tabIndex: -1, href }, ...parts);
}

function close() {
  list.hidden = true;
  field.ariaExpanded = "false";
  field.removeAttribute("aria-activedescendant");
  count.textContent = "";
}

const active = () => (list.hidden ? undefined : list.querySelector("[aria-selected=true]"));

/** Marks an option, which Enter follows. After the last option comes the first. */
function activate(number) {
  const options = [...list.children];
  const chosen = options.at(number % options.length);
  for (const option of options) option.ariaSelected = String(option === chosen);
  if (!chosen) return field.removeAttribute("aria-activedescendant");
  field.setAttribute("aria-activedescendant", chosen.id);
  chosen.scrollIntoView({ block: "nearest" });
}

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

function press(event) {
  const option = active();
  const step = STEPS[event.key];
  if (event.isComposing) return;
  if (step && option) activate([...list.children].indexOf(option) + step);
  else if (step) find();
  else if (event.key === "Enter" && option) option.click();
  else if (event.key === "Escape" && (option || left)) leave();
  else return;
  event.preventDefault();
}

/** Closes the list. The focus returns to where it was before the shortcut. */
function leave() {
  const target = left;
  close();
  if (!target) return;
  field.blur();
  target.focus({ preventScroll: true });
}

function reach(event) {
  const isShortcut = /^k$/i.test(event.key) && (isMac ? event.metaKey : event.ctrlKey);
  if (!isShortcut || event.altKey || event.shiftKey) return;
  event.preventDefault();
  if (document.activeElement !== field) left = document.activeElement;
  // The header sticks to the window while the field has the focus.
  field.focus({ preventScroll: true });
  field.select();
  find();
}

addEventListener("keydown", reach);
field.addEventListener("keydown", press);
field.addEventListener("input", find);
field.addEventListener("focus", () => open().catch(() => {}), { once: true });
field.addEventListener("blur", () => {
  close();
  left = undefined;
});
// The field keeps the focus while an option is clicked.
list.addEventListener("mousedown", (event) => event.preventDefault());
list.addEventListener("click", () => field.blur());

// A form that was sent without this script, such as that of an error page, leads to the page of all headings.
const sent = location.pathname === new URL(form.action).pathname && new URLSearchParams(location.search).get("q");
if (sent) {
  field.value = sent;
  field.focus();
  find();
}
