/** The guides' only style: light and dark, from 360 pixels on. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#ffffff, #14171c);
  --raised: light-dark(#f5f6f8, #1d2129);
  --ink: light-dark(#1b1f27, #e8eaee);
  --soft: light-dark(#565d6b, #a4abb8);
  --line: light-dark(#d9dce3, #343a46);
  --link: light-dark(#1a55c4, #8ab4ff);
  --on-link: light-dark(#ffffff, #0d1320);
  --good: light-dark(#17653a, #7fd6a3);
}
* { box-sizing: border-box; }
html { font: 16px/1.6 system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif; background: var(--paper); color: var(--ink); scroll-padding-top: 1rem; }
body { margin: 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.to-content { position: absolute; left: -99rem; }
.to-content:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .5rem; z-index: 1; }

header { display: flex; flex-wrap: wrap; gap: .5rem 2rem; align-items: center; justify-content: space-between;
  padding: .7rem clamp(1rem, 3vw, 2rem); border-bottom: 1px solid var(--line); background: var(--raised); }
.brand { font-weight: 700; color: inherit; text-decoration: none; }
search { flex: 0 1 24rem; }
form { display: flex; gap: .5rem; }
input { font: inherit; flex: 1; min-width: 0; padding: .35rem .7rem; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
button, .button { font: inherit; font-weight: 600; padding: .35rem .9rem; border: 0; border-radius: 8px; background: var(--link); color: var(--on-link); text-decoration: none; cursor: pointer; }
.button { display: inline-block; padding: .6rem 1.2rem; }

.columns { display: grid; grid-template-columns: 12rem minmax(0, 50rem) minmax(0, 13rem); gap: 0 2.5rem; padding: 0 clamp(1rem, 3vw, 2rem); }
nav, aside { padding: 1.75rem 0; font-size: .95rem; }
nav ul, aside ul { list-style: none; margin: 0; padding: 0; position: sticky; top: 1rem; }
aside { font-size: .875rem; }
aside h2 { font-size: .8rem; margin: 0 0 .5rem; color: var(--soft); text-transform: uppercase; letter-spacing: .05em; border: 0; padding: 0; }
nav a { display: block; padding: .3rem .8rem; border-radius: 6px; text-decoration: none; color: var(--soft); }
nav a:hover, aside a:hover { color: var(--ink); }
nav a[aria-current] { background: var(--raised); color: var(--ink); font-weight: 600; box-shadow: inset 3px 0 var(--link); }
aside a { display: block; padding: .15rem 0; color: var(--soft); text-decoration: none; }
aside .level-3 { padding-left: 1rem; }

main { padding: 1.75rem 0 5rem; min-width: 0; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 2.5rem 0 .75rem; padding-top: .25rem; }
h3 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p, ul, ol { margin: 0 0 1rem; }
article li { margin-bottom: .35rem; }
code { font: .875em/1.5 ui-monospace, "SF Mono", "DejaVu Sans Mono", Consolas, monospace; background: var(--raised); padding: .1em .3em; border-radius: 4px; }
figure { margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
figcaption { font-size: .75rem; font-weight: 600; color: var(--soft); background: var(--raised); padding: .25rem .9rem; border-bottom: 1px solid var(--line); }
figure.output { border-left: 4px solid var(--good); }
pre { margin: 0; padding: .8rem .9rem; overflow-x: auto; line-height: 1.5; }
pre code { background: none; padding: 0; font-size: .8rem; }
.table { overflow-x: auto; margin: 0 0 1.25rem; }
table { border-collapse: collapse; width: 100%; font-size: .925rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .9rem .5rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-size: .85rem; }
td code { white-space: nowrap; }

.lead { font-size: 1.15rem; color: var(--soft); }
.cards { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1rem; margin: 2rem 0; }
.cards a { display: block; height: 100%; padding: 1rem; border: 1px solid var(--line); border-radius: 10px; text-decoration: none; color: inherit; }
.cards a:hover { border-color: var(--link); }
.cards strong { display: block; color: var(--link); }
.cards span { color: var(--soft); font-size: .925rem; }
.hits { padding-left: 1.2rem; }
.hits .of { color: var(--soft); font-size: .875rem; margin-left: .5rem; }
.hits p { color: var(--soft); overflow-wrap: anywhere; }
.next { border-top: 1px solid var(--line); margin-top: 3rem; padding-top: 1rem; text-align: right; }

@media (max-width: 75rem) {
  .columns { grid-template-columns: 12rem minmax(0, 1fr); gap: 0 2rem; }
  aside { display: none; }
}
@media (max-width: 45rem) {
  .columns { display: block; }
  search { flex-basis: 100%; }
  nav { padding: .75rem 0 0; }
  nav ul { display: flex; flex-wrap: wrap; gap: .25rem; position: static; }
  nav a { padding: .2rem .6rem; border: 1px solid var(--line); }
  nav a[aria-current] { box-shadow: none; border-color: var(--link); }
  main { padding-top: 1.25rem; }
}
@media print { header, nav, aside, .next { display: none; } .columns { display: block; } }
`;
