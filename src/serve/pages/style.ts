/**
 * The style of the pages: on phones and wide screens, light and dark.
 */

export const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #57606a; --line: #d5dae0; --back: #f6f7f9; --card: #ffffff; --field: #eef1f4; --link: #0a58a8; --bad: #a8201a; --bad-back: #fdecea; --warn: #7a4d00; --warn-back: #fdf3dc; --good: #12662b; --good-back: #e4f5e9; --mark: #4338a8; --mark-back: #ecebfb; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --quiet: #a0aab5; --line: #333a43; --back: #101317; --card: #181c21; --field: #232930; --link: #7fbaff; --bad: #ff9a91; --bad-back: #3a1a18; --warn: #ecc15a; --warn-back: #33280d; --good: #7ee29a; --good-back: #12301c; --mark: #b9b2ff; --mark-back: #262347; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--text); background: var(--back); overflow-wrap: anywhere; }
.wide { max-width: 68rem; margin: 0 auto; padding: 0 1rem; }
a { color: var(--link); text-decoration: none; unicode-bidi: isolate; } a:hover { text-decoration: underline; }
main p a, .end a, .prose a { text-decoration: underline; text-underline-offset: .15em; }
a:focus-visible, input:focus-visible, button:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .25rem; }
code, pre, kbd, .path { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em; unicode-bidi: isolate; }
header { background: var(--card); border-bottom: 1px solid var(--line); padding: .75rem 0 0; }
.top { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; }
.brand { font-weight: 650; color: inherit; font-size: 1.1rem; } .brand small { color: var(--quiet); font-weight: 400; margin-left: .35rem; }
.projects { display: flex; flex-wrap: wrap; gap: .25rem; } .projects a { padding: .1rem .6rem; border: 1px solid var(--line); border-radius: 1rem; } .projects a[aria-current] { background: var(--mark-back); border-color: var(--mark); color: var(--mark); font-weight: 600; }
form { display: flex; gap: .4rem; flex: 1 1 16rem; } .top form { max-width: 30rem; margin-left: auto; }
input[type=search] { flex: 1; min-width: 0; font: inherit; padding: .35rem .7rem; color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: .5rem; } input::placeholder { color: var(--quiet); opacity: 1; }
button { font: inherit; padding: .35rem .9rem; color: var(--text); background: var(--field); border: 1px solid var(--line); border-radius: .5rem; cursor: pointer; } button:hover { border-color: var(--quiet); }
.tabs { display: flex; flex-wrap: wrap; gap: 0 .15rem; margin: .6rem -.6rem 0; } .tabs a { color: var(--quiet); padding: .35rem .6rem; border-bottom: 2px solid transparent; } .tabs a:hover { color: var(--text); text-decoration: none; } .tabs a[aria-current] { color: var(--text); font-weight: 600; border-bottom-color: var(--link); }
main.wide { padding-top: 1.5rem; padding-bottom: 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .9rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .6rem; } h1 + p, .lead { color: var(--quiet); margin: 0 0 1rem; max-width: 60ch; } h1 + p { margin-top: -.6rem; } h1 + .note { max-width: none; }
.quiet { color: var(--quiet); } .count { color: var(--quiet); font-weight: 400; font-variant-numeric: tabular-nums; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; padding: .25rem 1rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: .6rem; list-style: none; padding: 0; margin: 0; }
.tiles a { display: block; background: var(--card); border: 1px solid var(--line); border-radius: .7rem; padding: .7rem .9rem; color: inherit; } .tiles a:hover { border-color: var(--link); text-decoration: none; } .tiles b { display: block; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums; } .tiles span { color: var(--quiet); }
.rows { list-style: none; margin: 0; } .rows.card { padding: .2rem 1rem; } .rows > li { padding: .6rem 0; border-top: 1px solid var(--line); } .rows > li:first-child { border-top: 0; } .rows p { margin: .1rem 0 0; } .head { display: flex; flex-wrap: wrap; gap: .15rem .6rem; align-items: baseline; } .head .end { margin-left: auto; color: var(--quiet); }
.tag { display: inline-block; font-size: .78rem; line-height: 1.35; padding: .08rem .5rem; border-radius: 1rem; background: var(--field); color: var(--quiet); white-space: nowrap; } .tag.good { background: var(--good-back); color: var(--good); } .tag.warn { background: var(--warn-back); color: var(--warn); } .tag.bad { background: var(--bad-back); color: var(--bad); } .tag.mark { background: var(--mark-back); color: var(--mark); }
ol.chain { counter-reset: link; } ol.chain > li { counter-increment: link; padding-left: 2.2rem; position: relative; } ol.chain > li::before { content: counter(link); position: absolute; left: 0; top: .65rem; width: 1.5rem; height: 1.5rem; border-radius: 50%; background: var(--field); color: var(--quiet); font-size: .8rem; line-height: 1.5rem; text-align: center; } ol.chain > li.wins::before { background: var(--good-back); color: var(--good); font-weight: 650; }
dl { display: grid; grid-template-columns: minmax(6.5rem, max-content) 1fr; gap: .15rem 1.25rem; margin: .6rem 0; } dt { color: var(--quiet); padding: .15rem 0; } dd { margin: 0; padding: .15rem 0; grid-column: 2; }
kbd { background: var(--field); border: 1px solid var(--line); border-radius: .3rem; padding: 0 .35rem; }
pre { margin: 0; padding: 1rem; white-space: pre-wrap; background: var(--card); border: 1px solid var(--line); border-radius: .7rem; line-height: 1.5; tab-size: 2; }
.crumbs { color: var(--quiet); margin: 0 0 .5rem; } .pager { display: flex; gap: 1rem; margin: 1rem 0; } .note { border-radius: .7rem; padding: .6rem 1rem; margin: 1rem 0; } .note.good { background: var(--good-back); color: var(--good); } .note.bad { background: var(--bad-back); color: var(--bad); }
.bar { display: block; width: 100%; height: .6rem; border-radius: .3rem; background: var(--field); margin: 0 0 .5rem; } .bar .done { fill: var(--good); } .bar .review, .bar .in-progress { fill: var(--mark); } .bar .blocked { fill: var(--bad); } .bar .ready { fill: var(--quiet); } .bar .backlog { fill: var(--line); }
.epic { margin: .8rem 0; } summary { cursor: pointer; padding: .5rem 0; } .drift { list-style: none; padding: .3rem 0; margin: 0; } .drift li { padding: .1rem 0; }
.prose { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; padding: .5rem 1.25rem; max-width: 75ch; } .prose h2 { font-size: 1.35rem; } .prose h3 { font-size: 1.15rem; } .prose h4, .prose h5, .prose h6 { font-size: 1rem; } .prose th, .prose td { overflow-wrap: normal; } .prose pre { border: 0; background: var(--field); } .scroll { overflow-x: auto; } .prose table, .trace { border-collapse: collapse; } .trace th, .trace td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; } .trace th { white-space: nowrap; } .prose th, .prose td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; } .front { margin: 0 0 .6rem; } .level-3 { margin-left: 1rem; }
.people { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .6rem; list-style: none; padding: 0; margin: 0; } .people li { padding: .7rem 1rem; display: flex; flex-direction: column; } .people h3 { font-size: 1rem; margin: 0; } .people p { margin: .35rem 0 0; } .people .say { margin-top: auto; padding-top: .5rem; } .say code, .snippet { user-select: all; -webkit-user-select: all; background: var(--field); padding: .1rem .4rem; border-radius: .3rem; } .snippet { padding: .75rem; overflow-x: auto; }
.skip { position: absolute; left: -100vw; } .skip:focus { left: .5rem; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
.lone { padding-bottom: .75rem; } .door { display: block; max-width: 32rem; padding: 1rem; } .door:not(.card) { padding: 0; } .door label { display: block; font-weight: 600; margin: 0 0 .3rem; } .line { display: flex; gap: .4rem; } input[type=password] { flex: 1; min-width: 0; font: inherit; padding: .35rem .7rem; color: inherit; background: var(--field); border: 1px solid var(--quiet); border-radius: .5rem; }
.copied { margin: 0 0 1rem; } .copied h3 { font-size: 1rem; margin: 0; } .copied .head { align-items: center; min-height: 2.2rem; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { grid-column: 1; } dt { padding: .5rem 0 0; font-size: .85rem; } .top form { max-width: none; flex-basis: 100%; margin: 0; } .tiles { grid-template-columns: repeat(auto-fill, minmax(5.8rem, 1fr)); gap: .5rem; } .tiles a { padding: .5rem .6rem; } .tiles b { font-size: 1.2rem; } .tiles span { font-size: .88rem; } pre { padding: .75rem; font-size: .8rem; } .head .end { margin-left: 0; } }
@media print { header form, .tabs { display: none; } body { background: none; } }
`;
