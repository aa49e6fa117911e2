// Marks the current section in the lists of sections.

const lists = [...document.querySelectorAll(".sections")];
const headings = [...document.querySelectorAll("article :is(h2, h3)[id]")];
// A section is current once its heading is in the upper quarter of the window.
const READ = 0.25;

function currentId() {
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  if (isAtEnd && scrollY > 0) return headings.at(-1)?.id;
  return headings.findLast((heading) => heading.getBoundingClientRect().top <= innerHeight * READ)?.id;
}

function mark() {
  const id = currentId();
  for (const list of lists) {
    for (const link of list.querySelectorAll("a")) {
      const isCurrent = link.hash === `#${id}`;
      if (isCurrent === (link.ariaCurrent === "location")) continue;
      link.ariaCurrent = isCurrent ? "location" : null;
      // A long list scrolls by itself.
      if (isCurrent) list.scrollTop = link.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
  }
}

// Browsers send this event at most once per frame (HTML, "update the rendering").
addEventListener("scroll", mark, { passive: true });
mark();
