/** The pages' only style: light and dark, from 360 pixels on. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#ffffff, #14171c);
  --raised: light-dark(#f5f6f8, #1d2129);
  --ink: light-dark(#1b1f27, #e8eaee);
  --soft: light-dark(#565d6b, #a4abb8);
  --line: light-dark(#d9dce3, #343a46);
  --link: light-dark(#1a55c4, #8ab4ff);
  --accent: light-dark(#1a55c4, #8ab4ff);
  --on-accent: light-dark(#ffffff, #0d1320);
  --danger: light-dark(#b3261e, #ff9a90);
  --on-danger: light-dark(#ffffff, #2a0705);
  --danger-paper: light-dark(#fdeceb, #341512);
  --good: light-dark(#17653a, #7fd6a3);
  --good-paper: light-dark(#e7f5ec, #12291c);
  --hint-paper: light-dark(#eef3fc, #182338);
  --band: light-dark(#e3ecfb, #1a2a48);
  --on-band: light-dark(#173f8f, #b9d1ff);
}
[data-environment="live"] {
  --accent: light-dark(#6d28a8, #d3a8ff);
  --on-accent: light-dark(#ffffff, #1d0733);
  --band: light-dark(#6d28a8, #57208a);
  --on-band: #ffffff;
}
* { box-sizing: border-box; }
html { font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif; background: var(--paper); color: var(--ink); }
body { margin: 0; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: 0 0 1rem; max-width: 42rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
bdi { overflow-wrap: anywhere; }
.to-content { position: absolute; left: -99rem; }
.to-content:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .5rem; z-index: 1; }

header { border-bottom: 1px solid var(--line); background: var(--raised); }
.top, .ways { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; padding: .6rem clamp(1rem, 4vw, 2.5rem); }
.ways { padding-top: 0; gap: .5rem 1.5rem; }
.brand { font-weight: 700; color: inherit; text-decoration: none; }
.account { max-width: 24rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.who { margin-left: auto; color: var(--soft); font-size: .9rem; min-width: 0; }
.role { border: 1px solid var(--line); border-radius: 99px; padding: 0 .5rem; font-size: .8rem; }
.switch { display: inline-flex; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: var(--paper); }
.switch a, .pages a { padding: .35rem .8rem; text-decoration: none; color: inherit; display: inline-block; }
.switch a[aria-current] { background: var(--accent); color: var(--on-accent); font-weight: 600; }
.switch a:focus-visible, .pages a:focus-visible { outline-offset: -3px; }
.pages { display: flex; flex-wrap: wrap; }
.pages a { border-radius: 6px; color: var(--soft); }
.pages a:hover { color: var(--ink); }
.pages a[aria-current] { color: var(--ink); font-weight: 600; box-shadow: inset 0 -3px var(--accent); border-radius: 6px 6px 0 0; }
.band { margin: 0; max-width: none; padding: .4rem clamp(1rem, 4vw, 2.5rem); background: var(--band); color: var(--on-band); font-size: .95rem; }
.band strong { text-transform: uppercase; letter-spacing: .06em; margin-right: .5rem; }
main { padding: 1.75rem clamp(1rem, 4vw, 2.5rem) 4rem; max-width: 76rem; }
main.alone { max-width: 34rem; margin: 8vh auto 0; }
.head { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; justify-content: space-between; align-items: start; margin-bottom: 1rem; }

button, .button { font: inherit; font-weight: 600; display: inline-block; padding: .5rem 1.1rem; border: 1px solid transparent; border-radius: 8px;
  background: var(--accent); color: var(--on-accent); text-decoration: none; cursor: pointer; }
button:hover, .button:hover { filter: brightness(1.08); }
.quiet { background: none; color: var(--ink); border-color: var(--line); padding: .25rem .8rem; font-weight: 400; }
.danger-action { background: var(--danger); color: var(--on-danger); }
.actions { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; margin-top: 1.5rem; }
a.danger-link { color: var(--danger); white-space: nowrap; }

.note { border-left: 4px solid var(--link); background: var(--hint-paper); padding: .75rem 1rem; margin: .75rem 0 1.25rem; border-radius: 0 8px 8px 0; max-width: 46rem; }
.note > :last-child { margin-bottom: 0; }
.note.danger { border-color: var(--danger); background: var(--danger-paper); }
.note.good { border-color: var(--good); background: var(--good-paper); }
.empty { margin-top: 1rem; border: 1px dashed var(--line); border-radius: 12px; padding: 2rem; text-align: center; }
.empty p { margin-inline: auto; }

table { border-collapse: collapse; width: 100%; margin: 0 0 1.5rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .5rem; }
th, td { text-align: left; vertical-align: top; padding: .6rem .75rem .6rem 0; border-bottom: 1px solid var(--line); }
th { font-size: .85rem; color: var(--soft); font-weight: 600; white-space: nowrap; }
td time, .nowrap { white-space: nowrap; }
tr.over td { color: var(--soft); }
.sub { display: block; overflow-wrap: anywhere; color: var(--soft); font-size: .85rem; }
.scopes { display: block; font-size: .85rem; min-width: 14rem; max-width: 22rem; }
.tag { display: inline-block; border-radius: 99px; padding: 0 .6rem; font-size: .85rem; white-space: nowrap; background: var(--raised); color: var(--soft); border: 1px solid var(--line); }
.tag.good { background: var(--good-paper); color: var(--good); border-color: transparent; }
.tag.danger { background: var(--danger-paper); color: var(--danger); border-color: transparent; }
.paging { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin-bottom: 1.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1.5rem; margin: 0 0 1.5rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
meter { width: 7rem; margin-right: .5rem; }

code, pre, output { font: .9rem/1.55 ui-monospace, "SF Mono", "Liberation Mono", Menlo, monospace; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 1rem; }
output { display: block; overflow-wrap: anywhere; user-select: all; background: var(--paper); border: 2px solid var(--good); border-radius: 8px; padding: .9rem 1rem; font-size: 1.05rem; }
.copyable { position: relative; margin-bottom: 1rem; }
.copyable pre, .copyable output { margin: 0; padding-right: 6rem; }
.copy { position: absolute; top: .5rem; right: .5rem; padding: .15rem .7rem; font-size: .85rem; background: var(--paper); color: var(--ink); border-color: var(--line); }
summary { cursor: pointer; padding: .4rem 0; font-weight: 600; }

fieldset { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 1.5rem; padding: .75rem 1rem 1rem; max-width: 46rem; }
legend { font-weight: 600; padding: 0 .4rem; }
.field { margin: 0 0 1.5rem; max-width: 46rem; }
.field > label { font-weight: 600; display: block; margin-bottom: .3rem; }
.hint { color: var(--soft); font-size: .9rem; margin: 0 0 .4rem; }
.fault { color: var(--danger); font-weight: 600; margin: .3rem 0 0; }
input[type="text"], select { font: inherit; width: 100%; max-width: 32rem; padding: .5rem .7rem; border: 1px solid var(--soft); border-radius: 8px; background: var(--paper); color: var(--ink); }
input[type="text"][aria-invalid], select[aria-invalid] { border: 2px solid var(--danger); }
.choice { display: grid; grid-template-columns: auto 1fr; gap: 0 .6rem; align-items: baseline; padding: .25rem 0; }
.choice .sub { grid-column: 2; }
input[type="checkbox"] { accent-color: var(--accent); width: 1.05rem; height: 1.05rem; }

@media (max-width: 46rem) {
  .who { margin-left: 0; flex-basis: 100%; order: 3; }
  .top form { margin-left: auto; }
  .account { flex: 1 1 0; }
  .pages { margin-inline: -.4rem; }
  .pages a { padding-inline: .6rem; }
  thead { position: absolute; left: -99rem; }
  table, tbody, tr, td { display: block; }
  tr { border: 1px solid var(--line); border-radius: 10px; padding: .5rem .9rem; margin-bottom: .75rem; }
  td { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .5rem; justify-items: start; border: 0; padding: .3rem 0; overflow-wrap: anywhere; }
  .scopes { min-width: 0; }
  td::before { content: attr(data-label); color: var(--soft); font-size: .85rem; }
  td:not([data-label]) { display: block; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .6rem; }
}
`;
