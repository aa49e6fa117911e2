// The colour scheme that the reader has chosen: the system's, light, or dark. It is set in the head, before anything is painted, for every page and
// every open tab of this host. Without the script, the system's scheme applies.
{
  const root = document.documentElement;
  const STORED = "theme";
  const THEMES = ["system", "light", "dark"];
  let theme = "system";

  const apply = (value) => {
    theme = THEMES.includes(value) ? value : "system";
    root.dataset.theme = theme;
    for (const name of document.querySelectorAll(".theme > span")) name.textContent = `Theme: ${theme}`;
  };
  const toggle = () => {
    apply(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]);
    try {
      localStorage.setItem(STORED, theme);
    } catch {
      // The choice is kept for this page.
    }
  };
  const restore = () => {
    try {
      apply(localStorage.getItem(STORED));
    } catch {
      // Some browsers have no storage, depending on their settings.
      apply(theme);
    }
  };

  restore();
  addEventListener("storage", ({ key }) => key === STORED && restore());
  // A page that Back restores has missed the changes of other pages.
  addEventListener("pageshow", restore);
  document.addEventListener("DOMContentLoaded", () => {
    apply(theme);
    for (const button of document.querySelectorAll(".theme")) button.addEventListener("click", toggle);
  });
}
