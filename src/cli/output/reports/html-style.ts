/** The entire style sheet of the HTML report. The page's content security policy allows only this text, by its hash. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #fff; --ink: #1d2128; --faint: #5b6472; --line: #d9dde3;
  --stage-top: #b9c6d6; --stage-bottom: #94a5b9; --stage-ink: #2b3542;
  --made: #17703a; --known: #1d5fa8; --failed: #b3261e; --skipped: #5b6472; --warning: #7a5200;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1e2228; --ink: #e8ebef; --faint: #a0a9b6; --line: #353b45;
    --stage-top: #4c5a6b; --stage-bottom: #647488; --stage-ink: #e8ebef;
    --made: #6fd195; --known: #82b8f5; --failed: #ff9389; --skipped: #a0a9b6; --warning: #f0c060;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 100rem; padding: 1rem; background: var(--page); color: var(--ink);
  font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { margin: .5rem 0 0; font-size: 1.75rem; line-height: 1.2; }
.about { margin: .25rem 0 1rem; color: var(--faint); }
.filter { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1rem; padding: 0; border: 0; }
.filter legend, .filter input { position: absolute; opacity: 0; pointer-events: none; }
.filter label { padding: .3rem .8rem; border: 1px solid var(--line); border-radius: 2rem; background: var(--card);
  cursor: pointer; }
.filter label:has(:checked) { border-color: currentColor; box-shadow: inset 0 0 0 1px currentColor; }
.filter label:has(:focus-visible) { outline: 3px solid var(--known); outline-offset: 2px; }
.filter label:has(:disabled) { opacity: .55; cursor: default; }
.made { --tone: var(--made); }
.known { --tone: var(--known); }
.failed { --tone: var(--failed); }
.skipped { --tone: var(--skipped); }
.filter label { color: var(--tone, var(--ink)); }
body:has(#show-made:checked) .card:not(.made),
body:has(#show-known:checked) .card:not(.known),
body:has(#show-failed:checked) .card:not(.failed),
body:has(#show-skipped:checked) .card:not(.skipped) { display: none; }
nav { margin: 0 0 1rem; padding: .75rem 1rem; border: 1px solid var(--failed); border-radius: .5rem;
  background: var(--card); }
summary { cursor: pointer; }
nav summary { color: var(--failed); font-weight: 600; }
nav ol { margin: .5rem 0 0; padding-inline-start: 2.5rem; }
nav li { margin: .2rem 0; }
nav a { color: inherit; font-weight: 600; }
nav span { color: var(--faint); }
nav p { margin: .5rem 0 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(11.5rem, 1fr)); gap: .75rem; margin: 0;
  padding: 0; list-style: none; }
.card { padding: 0 .75rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card);
  overflow: hidden; font-size: .875rem; content-visibility: auto; contain-intrinsic-size: auto 20rem; }
.card.failed { border-color: var(--failed); }
.card:target { display: block !important; outline: 3px solid var(--failed); outline-offset: 2px; }
.stage { display: flex; gap: .75rem; justify-content: center; align-items: center; height: 10rem; margin: 0 -.75rem .6rem;
  background: linear-gradient(var(--stage-top), var(--stage-bottom)); color: var(--stage-ink); }
.stage img { image-rendering: pixelated; filter: drop-shadow(0 .25rem .25rem rgb(0 0 0 / .35)); }
.card h2 { margin: 0; font-size: 1rem; line-height: 1.3; }
.card p { margin: .2rem 0 0; }
.outcome { color: var(--tone); font-weight: 600; }
.source, .facts, .uuid, .hint { color: var(--faint); }
.uuid, code { font-family: ui-monospace, monospace; font-size: .75rem; }
.error { color: var(--failed); }
.warning { color: var(--warning); }
.copies { display: none; gap: .4rem; }
.scripted .copies { display: flex; flex-wrap: wrap; }
.copy { padding: .15rem .5rem; border: 1px solid var(--line); border-radius: .35rem; background: none; color: inherit;
  font: inherit; font-size: .8rem; cursor: pointer; }
.copy:hover, .copy:focus-visible { border-color: currentColor; }
.data { margin: .3rem 0 0; color: var(--faint); font-size: .8rem; }
.data pre { max-height: 6rem; margin: .3rem 0 0; overflow: auto; white-space: pre-wrap; word-break: break-all;
  user-select: all; font-size: .7rem; }
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #000; --faint: #444; --line: #bbb;
    --stage-top: #eee; --stage-bottom: #eee; --stage-ink: #444;
    --made: #17703a; --known: #1d5fa8; --failed: #b3261e; --skipped: #444; --warning: #7a5200; }
  body { padding: 0; max-width: none; }
  .card, nav li { break-inside: avoid; }
  .card { content-visibility: visible; }
  .stage { height: 8.75rem; }
  .copies, .scripted .copies, .data { display: none; }
  .stage img { filter: none; print-color-adjust: exact; }
}
`;
