/** Is a Markdown text shown as its author meant it, and never as more than text? */
import assert from "node:assert/strict";
import { renderProse } from "../../../src/serve/pages/prose.ts";
import { assertEnds } from "../../support/cpu.ts";

const html = (text: string) => renderProse(text).body.text;

Deno.test("headings, lists, boxes, tables, code and links become markup [pages:prose]", () => {
  const { body, headings } = renderProse(
    "---\nstatus: final\n---\n# Shop *now*\n\n- [ ] Pay\n- [x] Look\n\n| a | b |\n|---|---|\n| 1 | `x<y` |\n\n" +
      "[Site](https://example.org/?a=1&b=2)\n\n## Later\n",
  );
  for (
    const part of [
      '<pre class="front" dir="auto">status: final</pre>',
      '<h2 id="line-1">Shop <em>now</em></h2>',
      "<li>☐ Pay</li>",
      "<li>☑ Look</li>",
      "<td><code>x&lt;y</code></td>",
      '<a href="https://example.org/?a=1&#38;b=2" rel="noreferrer">Site</a>',
    ]
  ) assert.ok(body.text.includes(part), `${part}\nis not in\n${body.text}`);
  assert.deepEqual(headings.map(({ level, text }) => [level, text]), [[2, "Shop *now*"], [3, "Later"]]);
});

Deno.test("whatever a text says, it loads, runs and hides nothing [pages:prose]", () => {
  const hostile = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    "[a](vbscript:x) <javascript:alert(1)>",
    "![x](https://example.org/spy.png)",
    '[a](https://example.org/"onmouseover="alert(1))',
    '```"><script>alert(1)</script>\n```',
    "[a]: javascript:alert(1)\n\n[a]",
    '| <svg onload="x"> |\n|---|\n| <b> |',
    "# <script>alert(1)</script>",
    "---\n<script>alert(1)</script>\n---\n",
  ];
  for (const text of hostile) {
    const shown = html(text);
    const tags = [...shown.matchAll(/<([a-z0-9]+)([^>]*)>/g)];
    for (const [, name, attributes] of tags) {
      assert.ok(!["script", "img", "svg", "iframe", "b", "object"].includes(name!), `${text}: ${shown}`);
      assert.doesNotMatch(attributes!, /\bon\w+=|javascript:|data:|vbscript:|src=/i, `${text}: ${shown}`);
    }
  }
  assert.match(html("a\u202Eb\u0007"), /a\uFFFDb␇/);
});

Deno.test("hostile texts take linear time, and very long ones are shown as they are [pages:prose]", () => {
  const pumps = [
    "[",
    "*",
    "_a*",
    "`a",
    "> ",
    "- ",
    "  - x\n",
    "|-|\n",
    "![](",
    "<a ",
    "**a",
    "a\n=\n",
    "[a]: b\n",
    "http://a",
    "http://a.b?",
    "ftp://a.b?",
  ];
  for (const pump of pumps) {
    assertEnds(JSON.stringify(pump), 4_000, () => renderProse(pump.repeat(200_000 / pump.length)));
  }
  assert.match(html("*".repeat(200_001)), /^<pre/);
});
