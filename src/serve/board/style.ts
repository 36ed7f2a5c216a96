/** All pages' colours and the board's style. Texts have a contrast of at least 4.5 to what is behind them. */
import { STATE_STYLES } from "./draw.ts";

const COLOURS = STATE_STYLES.map((name) =>
  `.${name} { --own: var(--${name}); --own-back: var(--${name}-back); } .tag.${name} { background: var(--own-back); color: var(--own); } .bar .${name} { fill: var(--own); }`
).join("\n");

export const BOARD_STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1b1f24, #e6e9ed); --quiet: light-dark(#57606a, #a0aab5); --line: light-dark(#d5dae0, #333a43); --back: light-dark(#f6f7f9, #101317); --card: light-dark(#ffffff, #181c21); --field: light-dark(#eef1f4, #232930); --link: light-dark(#0a58a8, #7fbaff); --bad: light-dark(#a8201a, #ff9a91); --bad-back: light-dark(#fdecea, #3a1a18); --warn: light-dark(#7a4d00, #ecc15a); --warn-back: light-dark(#fdf3dc, #33280d); --good: light-dark(#12662b, #7ee29a); --good-back: light-dark(#e4f5e9, #12301c); --mark: light-dark(#4338a8, #b9b2ff); --mark-back: light-dark(#ecebfb, #262347); }
:root { --s-backlog: var(--quiet); --s-backlog-back: var(--field); --s-ready: light-dark(#0b6170, #6fd3e0); --s-ready-back: light-dark(#dcf3f6, #0f2d33); --s-in-progress: var(--link); --s-in-progress-back: light-dark(#e2eefb, #14293f); --s-review: light-dark(#6b2fa0, #d3b0ff); --s-review-back: light-dark(#f3e9fc, #2c1d40); --s-done: var(--good); --s-done-back: var(--good-back); --s-blocked: var(--bad); --s-blocked-back: var(--bad-back); --s-dropped: var(--quiet); --s-dropped-back: var(--field); --lane: light-dark(#eceff2, #0b0d10); --lift: 0 1px 2px light-dark(rgb(20 30 40 / .08), transparent); }
* { box-sizing: border-box; }
.tag { display: inline-block; font-size: .78rem; line-height: 1.35; padding: .08rem .5rem; border-radius: 1rem; background: var(--field); color: var(--quiet); white-space: nowrap; } .tag.good { background: var(--good-back); color: var(--good); } .tag.warn { background: var(--warn-back); color: var(--warn); } .tag.bad { background: var(--bad-back); color: var(--bad); } .tag.mark { background: var(--mark-back); color: var(--mark); }
${COLOURS}
.bar { display: block; width: 100%; height: .5rem; border-radius: .25rem; background: var(--field); margin: 0 0 .5rem; }
.dot { display: inline-block; width: .55rem; height: .55rem; border-radius: 50%; background: var(--own); margin-right: .45rem; vertical-align: .05em; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: 0; color: var(--quiet); font-size: .88rem; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.progress { display: grid; gap: .4rem 1rem; align-items: baseline; margin: 0 0 .5rem; } .progress .lead { margin: 0; } .progress .bar { margin: 0; }
.boardhead { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; } .boardhead h1 { margin: 0; } #summary .legend { display: none; } #live { margin: .5rem 0 0; font-size: .88rem; }
.project > h2 { margin: 1.5rem 0 0; }
#filters { display: none; } .works #filters { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 .5rem; align-content: start; } #filters label { display: flex; flex: 0 1 9rem; min-width: 0; } #filters label:first-child { flex: 1 1 10rem; } #filters select { width: 100%; }
select, dialog input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .35rem .6rem; min-width: 0; } #filters input { background: var(--card); width: 100%; }
select:focus-visible, .story .title:focus-visible, #menu button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .25rem; }
.lanes { display: grid; gap: 1.25rem; margin: 0 0 1.25rem; }
.column { min-width: 0; } .column > :is(h2, h3) { display: flex; align-items: center; font-size: .95rem; font-weight: 650; margin: 0; padding: .5rem .15rem; } .column > :is(h2, h3) .dot { flex: none; } .column > :is(h2, h3) .count { margin-left: .45rem; font-size: .85rem; }
.column ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem; align-content: start; }
.story { position: relative; min-width: 0; background: var(--card); border: 1px solid var(--line); border-left: 3px solid var(--own); border-radius: .55rem; padding: .5rem .7rem .55rem; box-shadow: var(--lift); }
.story[data-state=blocked] { border-left-color: var(--s-blocked); }
.story p { margin: 0; } .story .key { display: flex; align-items: center; justify-content: space-between; min-height: 1.5rem; color: var(--quiet); font-size: .82rem; font-variant-numeric: tabular-nums; }
.story .title { display: block; width: 100%; padding: 0; border: 0; background: none; color: var(--text); font-weight: 600; line-height: 1.35; text-align: left; cursor: pointer; } .story .title:hover { color: var(--link); text-decoration: underline; }
.story .why { color: var(--quiet); font-size: .85rem; line-height: 1.4; margin-top: .2rem; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-clamp: 2; overflow: hidden; }
.story .marks { display: flex; flex-wrap: wrap; gap: .25rem; margin-top: .4rem; } .story .marks .tag { white-space: normal; }
.story .foot { display: flex; flex-wrap: wrap; align-items: center; gap: .1rem .6rem; white-space: nowrap; margin-top: .45rem; font-size: .82rem; color: var(--quiet); }
.chip { flex: 1 1 5rem; max-width: max-content; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem; line-height: 1.45; }
.boxes { flex: none; font-variant-numeric: tabular-nums; } .boxes.full { color: var(--s-done); } .holder, .owner, .free { margin-left: auto; flex: none; max-width: 100%; overflow: hidden; text-overflow: ellipsis; } .holder { color: var(--text); font-weight: 600; } .holder::before { content: ""; display: inline-block; width: .5rem; height: .5rem; border-radius: 50%; background: var(--s-in-progress); margin-right: .35rem; } .free { color: var(--s-done); }
.more { display: none; } .works .more { display: block; padding: 0 .45rem; margin: -.1rem -.4rem 0 0; border: 0; background: none; color: var(--quiet); font-size: 1.05rem; line-height: 1.4; border-radius: .4rem; } .more:hover, .more[aria-expanded=true] { background: var(--field); color: var(--text); }
.works .story[draggable] { cursor: grab; } .story.dragged { opacity: .45; } .story[aria-busy=true] { opacity: .7; } .column.over { outline: 2px dashed var(--own); outline-offset: -1px; background: var(--own-back); }
.keys { display: none; margin: -.5rem 0 1rem; max-width: calc(100% - 30rem); font-size: .85rem; } .works .keys { display: block; }
.fold { margin: .6rem 0; } .fold summary { font-weight: 600; padding: .45rem 0; }  .fold .rows { padding: 0 0 .5rem; } .fold .rows > li { padding: .4rem 0; }
#menu { position: absolute; z-index: 3; min-width: 12rem; padding: .3rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; box-shadow: 0 6px 24px rgb(0 0 0 / .18); } #menu button { display: flex; align-items: center; width: 100%; padding: .35rem .6rem; border: 0; background: none; text-align: left; border-radius: .4rem; } #menu button:hover, #menu button:focus { background: var(--field); } #menu hr { border: 0; border-top: 1px solid var(--line); margin: .3rem 0; }
[hidden] { display: none !important; }
dialog { width: min(36rem, calc(100vw - 2rem)); max-height: calc(100vh - 4rem); overflow: auto; padding: 1.25rem 1.4rem; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: .9rem; box-shadow: 0 12px 48px rgb(0 0 0 / .3); } dialog::backdrop { background: rgb(10 14 20 / .45); } dialog h2 { margin: 0 0 .5rem; } dialog p { margin: 0 0 .7rem; } #refusal-why, .note.bad { white-space: pre-line; } dialog label { display: grid; gap: .3rem; } dialog ul { margin: 0 0 .9rem; padding-left: 1.2rem; } dialog li { margin: 0 0 .5rem; } dialog li span { display: block; color: var(--quiet); font-size: .92rem; } dialog pre { max-height: 60vh; overflow: auto; border: 0; padding: 0; }
.buttons { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: .5rem; margin-top: 1rem; } .main { background: var(--link); border-color: var(--link); color: var(--card); } .danger { background: var(--bad); border-color: var(--bad); color: var(--card); }
#toast { position: fixed; z-index: 2; right: 1rem; bottom: 1rem; display: flex; align-items: center; gap: .9rem; max-width: min(28rem, calc(100vw - 2rem)); padding: .55rem .6rem .55rem 1.1rem; background: var(--text); color: var(--card); border-radius: .7rem; box-shadow: 0 6px 24px rgb(0 0 0 / .25); } #toast button { flex: none; color: var(--card); background: none; border-color: currentColor; }
@media (min-width: 900px) {
.lanes { grid-template-columns: repeat(5, minmax(0, 1fr)); gap: .75rem; align-items: stretch; }
.column { background: var(--lane); border-radius: .8rem; padding: 0 .5rem .75rem; min-height: 14rem; } .column > :is(h2, h3) { position: sticky; top: 0; z-index: 1; background: inherit; padding: .65rem .25rem .5rem; border-radius: .8rem .8rem 0 0; }
.story { border-left: 1px solid var(--line); } .story[data-state=blocked] { border-left: 3px solid var(--s-blocked); }
body:has(#filters) #board { display: grid; grid-template-columns: 1fr minmax(0, 36rem); gap: 0 1.5rem; } #drawn { grid-column: 1 / -1; } .progress { grid-template-columns: auto 1fr; } .progress .bar { grid-row: 2; grid-column: 1 / -1; }
}
@media (max-width: 899.98px) { .works .keys { display: none; } .works #filters { gap: .35rem; margin: 0 0 .15rem; } #filters label { flex: 1 1 0; } #filters label:first-child { flex: 1.4 1 0; } #filters :is(input, select) { padding: .1rem .4rem; } #filters select { font-size: .9rem; } #summary .progress { grid-template-columns: auto minmax(0, 1fr); align-items: center; margin: 0 0 .15rem; } .column > :is(h2, h3) { padding: .1rem .15rem .2rem; } .column:not(:has(li:not([hidden]))) { display: none; } .column.s-done { order: 2; } .column.s-backlog { order: 1; } .column.s-in-progress { order: -2; } .column.s-review { order: -1; } .story { padding: .4rem .7rem .5rem; } }
@media print { #filters, .more, #toast { display: none !important; } }
@media (prefers-reduced-motion: no-preference) { .story { transition: opacity .15s; } }
`;
