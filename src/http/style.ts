/**
 * How the page looks: on a phone and on a wide screen, by day and by night.
 */

/** The style sheet, as it stands in the page. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1c2024; --quiet: #5b6470; --line: #d8dde3; --back: #ffffff; --field: #f4f6f8; --link: #0b5cad; --bad: #b3261e; --warn: #8a5a00; --good: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --quiet: #9aa4b0; --line: #343b44; --back: #14171b; --field: #1e2329; --link: #7ab7ff; --bad: #ff8a80; --warn: #e3b341; --good: #6fdd8b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); overflow-wrap: anywhere; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; border-bottom: 1px solid var(--line); padding-bottom: .75rem; }
h1 { font-size: 1.25rem; margin: 0; } h1 small { color: var(--quiet); font-weight: normal; }
h2 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
a { color: var(--link); text-decoration: none; } a:hover, a:focus { text-decoration: underline; }
nav { display: flex; flex-wrap: wrap; gap: .75rem; } nav a[aria-current] { color: inherit; font-weight: 600; }
form { display: flex; gap: .5rem; flex: 1 1 16rem; }
input[type=search] { flex: 1; min-width: 0; font: inherit; padding: .35rem .6rem; color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: .4rem; }
button { font: inherit; padding: .35rem .8rem; color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: .4rem; cursor: pointer; }
.kinds { display: flex; flex-wrap: wrap; gap: .4rem 1.25rem; list-style: none; padding: 0; margin: 0; } .kinds b { color: var(--quiet); font-weight: normal; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); font-weight: normal; } th { width: 18rem; }
td i { color: var(--quiet); } pre { white-space: pre-wrap; font: .875rem/1.5 ui-monospace, monospace; background: var(--field); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; }
ul { padding-left: 1.1rem; } .error, .bad { color: var(--bad); } .warning { color: var(--warn); } .good { color: var(--good); }
@media (max-width: 40rem) { th, td { display: block; width: auto; padding-right: 0; } td { border-top: 0; padding-top: 0; } }
`;
