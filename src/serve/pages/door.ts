/**
 * The door: where a person who has not shown the token types it. It says nothing about what is behind it.
 */
import { PRODUCT } from "../../base/model.ts";
import { Markup, markup } from "../../base/markup.ts";
import { PAGE_STYLE } from "./page_style.ts";

/** The path that the form of the door is sent to. */
export const DOOR_PATH = "/enter";

/** What a person finds at the door. */
export interface Door {
  /** The path of the page that was asked for. */
  readonly to: string;
  /** Why the door did not open. */
  readonly problem?: string;
  /** The file that holds the token; undefined if its owner chose one. */
  readonly file?: string;
}

/** The page with the field for the token. */
export function doorPage({ to, problem, file }: Door): Markup {
  return lone(
    "Enter the token",
    markup`<h1>Enter the token</h1>
<p>This server shows its pages to people who know its token.</p>
${problem !== undefined && markup`<p class="note bad" role="alert" id="problem">${problem}</p>`}
<form method="post" action="${DOOR_PATH}" class="card door"><input type="hidden" name="to" value="${to}">
<input type="text" name="user" value="${PRODUCT.name}" autocomplete="username" hidden>
<label for="token">Token</label>
<div class="line"><input type="password" id="token" name="token" required autofocus autocomplete="current-password" spellcheck="false"${
      problem !== undefined && markup` aria-invalid="true" aria-describedby="problem"`
    }><button>Open</button></div></form>
<h2>Where is it?</h2>
${
      file === undefined ? markup`<p>Whoever started the server chose it. Ask them.</p>` : markup`<ul>
<li>The terminal in which the server was started shows the dashboard’s address. Open that, and you are in.</li>
<li>On that machine, its user finds the token in the file <code>${file}</code>.</li>
</ul>`
    }`,
  );
}

/** For a person who opens an address that only programs use. */
export function programsPage(path: string): Markup {
  return lone(
    "For programs",
    markup`<h1>For programs</h1>
<p><code>${path}</code> is for programs, which send the token with every request.</p>
<p><a href="/">Open the dashboard</a> · <a href="/connect">Connect a client</a></p>`,
  );
}

/** A page without the frame, which tells about the project. */
function lone(title: string, body: Markup): Markup {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${PRODUCT.name}</title>
<link rel="icon" href="data:,">
<style>${new Markup(PAGE_STYLE)}</style>
</head>
<body>
<header class="lone"><div class="wide"><div class="top"><span class="brand">${PRODUCT.name}</span></div></div></header>
<main class="wide" id="main">
${body}
</main>
</body>
</html>
`;
}
