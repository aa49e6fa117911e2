// Links to a page that asks before it ends something: what the page asks is shown in a dialog instead. If it cannot be, the link is followed.

// The document listens, because live.js replaces the links of a page.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-ask]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (link.ariaBusy) return;
  link.ariaBusy = "true";
  const follow = () => location.assign(link.href);
  // Unlike `fetch`, it yields a document, and HTML as text is no source of elements under the page's policy.
  const request = new XMLHttpRequest();
  request.responseType = "document";
  request.timeout = 5_000;
  request.onerror = follow;
  request.ontimeout = follow;
  request.onload = () => {
    const asked = request.status === 200 && request.response?.querySelector(".asking");
    if (asked) ask(link, asked);
    else follow();
  };
  request.open("GET", link.href);
  request.send();
});

function ask(link, asked) {
  const dialog = document.createElement("dialog");
  dialog.append(document.adoptNode(asked));
  const [heading, note, form] = ["h1", ".note", "form"].map((name) => dialog.querySelector(name));
  heading.id = "asked";
  dialog.setAttribute("aria-labelledby", heading.id);
  note.id = "asked-note";
  note.removeAttribute("role");
  dialog.setAttribute("aria-describedby", note.id);
  // A form without a path of its own is sent to the path of its page.
  form.action = new URL(form.getAttribute("action"), link.href);
  showTimes(dialog);
  const cancel = form.querySelector("a");
  cancel.autofocus = true;
  const isBeside = ({ target, clientX: x, clientY: y }) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    return target === dialog && (x < left || x > right || y < top || y > bottom);
  };
  dialog.addEventListener("click", (event) => {
    if (event.target !== cancel && !isBeside(event)) return;
    event.preventDefault();
    dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    link.ariaBusy = null;
    link.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}
