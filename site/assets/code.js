// Buttons that copy examples, and tabs for examples in several languages. Loaded in the head, so that an example shows its first language until
// its tabs are made.

const root = document.documentElement;
root.classList.add("has-script");
const REMEMBERED = "code-language";

function buttonOf(text) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  return button;
}

/** A button that copies what `read` returns. */
function copyButtonOf(text, read) {
  const button = buttonOf(text);
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(await read());
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = text;
    }, 2000);
  });
  return button;
}

function addCopyButton(figure) {
  const button = copyButtonOf("Copy", () => figure.querySelector("code").textContent);
  button.className = "copy";
  figure.querySelector("pre").before(button);
}

/** Replaces the link to a page's Markdown with a button that fetches and copies it. */
function copyMarkdown(link) {
  const button = copyButtonOf("Copy page as Markdown", async () => (await fetch(link.href)).text());
  button.className = "quiet";
  link.replaceWith(button);
}

// Some browsers have no storage, depending on their settings.
function remembered() {
  try {
    return localStorage.getItem(REMEMBERED);
  } catch {
    return null;
  }
}

function remember(language) {
  try {
    localStorage.setItem(REMEMBERED, language);
  } catch {
    // The choice is kept for this page.
  }
}

/** For all tabs on the page: shows the language if they have it. */
const shows = [];

/** Shows a language everywhere. The pressed tab keeps its position in the window, although examples above it change their height. */
function choose(language, pressed) {
  const before = pressed.getBoundingClientRect().top;
  for (const show of shows) show(language);
  scrollBy(0, pressed.getBoundingClientRect().top - before);
  remember(language);
}

function makeTabs(example, number) {
  const panels = [...example.children];
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language");
  const tabs = panels.map((panel, index) => {
    const tab = buttonOf(panel.dataset.language);
    tab.id = `example-${number}-tab-${index}`;
    panel.id = `example-${number}-${index}`;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => choose(tab.textContent, tab));
    return tab;
  });
  const select = (chosen) => {
    for (const [index, tab] of tabs.entries()) {
      tab.setAttribute("aria-selected", String(index === chosen));
      tab.tabIndex = index === chosen ? 0 : -1;
      panels[index].hidden = index !== chosen;
    }
  };
  list.addEventListener("keydown", (event) => {
    const now = tabs.indexOf(event.target);
    const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const tab = tabs.at(next % tabs.length);
    choose(tab.textContent, tab);
    tab.focus();
  });
  list.append(...tabs);
  example.prepend(list);
  example.classList.add("ready");
  select(0);
  shows.push((language) => {
    const index = panels.findIndex((panel) => panel.dataset.language === language);
    if (index >= 0) select(index);
  });
}

document.addEventListener("DOMContentLoaded", () => {
  for (const [number, example] of document.querySelectorAll(".code-tabs").entries()) makeTabs(example, number);
  const language = remembered();
  if (language) for (const show of shows) show(language);
  if (!navigator.clipboard) return;
  document.querySelectorAll("figure.code:not(.output)").forEach(addCopyButton);
  document.querySelectorAll(".twin a").forEach(copyMarkdown);
});
