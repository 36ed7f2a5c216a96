/**
 * Does the board work as an MCP App, in a real browser, with the bridge of the extension's own package as its host?
 *
 * Run by `deno task test:browser`, because a browser takes long.
 */
import assert from "node:assert/strict";
import { DEMO } from "../../docs/demo.ts";
import { startClient } from "../support/client.ts";
import { withTree } from "../support/trees.ts";
import { until } from "../support/waiting.ts";
import { axeSource, SERIOUS } from "./measures.ts";
import { hasBrowser, isBrowserRun, type Screen, startBrowser } from "./chromium.ts";

const APP_TYPE = "text/html;profile=mcp-app";
const LEDGER = "_bmad-output/implementation-artifacts/sprint-status.yaml";
const EVIL = "<img src=x onerror=alert(1)>";

const HOST = `
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
const frame = document.querySelector("iframe");
const options = new URL(location.href).searchParams;
const bridge = new AppBridge(null, { name: "test-host", version: "1" }, options.has("mute") ? {} : { serverTools: {} }, {
  hostContext: { theme: options.get("theme") ?? "light" },
});
bridge.oncalltool = async (params) => await (await fetch("/call", { method: "POST", body: JSON.stringify(params) })).json();
bridge.oninitialized = async () => {
  await bridge.sendToolInput({ arguments: { operation: "board" } });
  await bridge.sendToolResult({ content: [{ type: "text", text: "The board as text" }] });
  window.isReady = true;
};
bridge.onsizechange = ({ height }) => { window.height = height; };
await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
const policy = '<meta http-equiv="Content-Security-Policy" content="default-src \\'none\\'; script-src \\'unsafe-inline\\'; style-src \\'unsafe-inline\\'">';
const html = await (await fetch("/app")).text();
frame.srcdoc = options.has("axe") ? html : html.replace("<head>", "<head>" + policy);
`;

const PAGE = '<!doctype html><html lang="en"><title>Host</title>' +
  '<iframe title="App" sandbox="allow-scripts allow-same-origin" width="600" height="600"></iframe>' +
  '<script type="module" src="/host.js"></script>';

async function bundleHost(dir: string): Promise<string> {
  await Deno.writeTextFile(`${dir}/host.ts`, HOST);
  const config = new URL("../../deno.dev.json", import.meta.url).pathname;
  const options = ["--quiet", "--platform=browser", "--config", config, "-o", `${dir}/host.js`];
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", ...options, `${dir}/host.ts`],
    env: { NO_COLOR: "1" },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return await Deno.readTextFile(`${dir}/host.js`);
}

Deno.test({
  name: "the package's own bridge shows the board, as text, and again after a change [app:board]",
  ignore: !isBrowserRun || !await hasBrowser(),
  fn: () =>
    withTree(
      Object.fromEntries(
        Object.entries({
          ...DEMO,
          "_bmad/bmm/config.yaml":
            "output_folder: _bmad-output\nplanning_artifacts: _bmad-output/planning-artifacts\n" +
            "implementation_artifacts: _bmad-output/implementation-artifacts\n",
          "_bmad-output/planning-artifacts/epics.md": DEMO["_bmad-output/planning-artifacts/epics.md"]!
            .replace("Rate a walker", EVIL),
        }).map(([path, text]) => [`shop/${path}`, text]),
      ),
      async (dir) => {
        await using client = await startClient({
          era: "2026",
          // So small that the board comes in parts.
          args: ["--project", `${dir}/shop`, "--max-result", "1024"],
          features: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [APP_TYPE] } } },
        });
        const { contents: [app] } = await client.readResource("ui://bmad/board");
        const script = await bundleHost(dir);
        await using server = Deno.serve(
          { port: 0, hostname: "127.0.0.1", onListen: () => {} },
          async (request) => {
            const type = (body: string, kind: string) =>
              new Response(body, { headers: { "content-type": kind } });
            switch (new URL(request.url).pathname) {
              case "/":
                return type(PAGE, "text/html");
              case "/host.js":
                return type(script, "text/javascript");
              case "/app":
                return type(app.text, "text/html");
              case "/call": {
                const { name, arguments: args } = await request.json();
                return Response.json(await client.callTool(name, args));
              }
              default:
                return new Response(null, { status: 204 });
            }
          },
        );
        const url = `http://127.0.0.1:${server.addr.port}/`;
        await using browser = await startBrowser();
        const tab = await browser.newTab({ scripts: true });
        const screen: Screen = { width: 800, height: 700, dark: false };
        const inside = (expression: string) =>
          tab.evaluate(
            `(() => { const { document } = window.frames[0] ?? window; return ${expression}; })()`,
          );
        const text = async () => String(await inside("document.body?.innerText"));

        await tab.open(url, screen);
        const shows = (words: string) =>
          until(`${words} is shown`, async () => (await text()).includes(words), text);
        await shows("1 of 6 stories are done");
        assert.match(await text(), /Review\s+1\s+1-2\s+⋯\s+Book a walk[^]*3\/3/);
        assert.ok((await text()).includes(EVIL), "hostile titles stay text");
        assert.equal(await inside(`document.querySelectorAll("img").length`), 0);
        await until("the host knows its height", async () => await tab.evaluate("window.height > 100"));

        const ledger = `${dir}/shop/${LEDGER}`;
        await Deno.writeTextFile(
          ledger,
          (await Deno.readTextFile(ledger)).replace("walk: review", "walk: done"),
        );
        await inside(`document.querySelector("#refresh").click()`);
        await shows("2 of 6 stories are done");

        // The same actions as on the page, through the tool.
        const choose = async (ref: string, words: string) => {
          await inside(`document.querySelector('[data-ref="${ref}"] .more').click()`);
          await inside(
            `[...document.querySelectorAll("#menu button")].find((one) => one.textContent === "${words}").click()`,
          );
        };
        const column = (state: string) =>
          inside(`document.querySelector('[data-state="${state}"]').innerText`);
        const isIn = (ref: string, state: string) =>
          until(
            `${ref} is in ${state}`,
            async () =>
              await inside(
                `!!document.querySelector('[data-state="${state}"] [data-ref="${ref}"]:not([aria-busy])')`,
              ),
            text,
          );
        const isShown = (id: string) =>
          until(
            `${id} is shown`,
            async () => await inside(`document.querySelector("#${id}").checkVisibility()`),
          );
        const fill = (id: string, words: string, button: string) =>
          inside(
            `(document.querySelector("#${id} input").value = "${words}", document.querySelector("${button}").click())`,
          );
        await choose("2-1", "Move to In progress");
        await isShown("who");
        await fill("who", "Ann", "#who .main");
        await isIn("2-1", "in-progress");
        await until("Ann holds it", async () => /Ann/.test(String(await column("in-progress"))), text);
        await inside(`document.querySelector("#undo").click()`);
        await isIn("2-1", "ready");
        await choose("1-3", "Move to Done");
        await isShown("refusal");
        assert.match(
          String(await inside(`document.querySelector("#refusal-list").innerText`)),
          /2 of 3 boxes[^]*Fix: Finish/,
        );
        await inside(`document.querySelector("#refusal-more").click()`);
        await fill("refusal", "dropped", "#refusal-force");
        await isIn("1-3", "done");
        assert.match(await Deno.readTextFile(ledger), /1-3-cancel-a-booking: done/);
        await choose("2-1", "Claim");
        await until(
          "it is claimed",
          async () => await inside(`!!document.querySelector('[data-ref="2-1"][data-claim="Ann"]')`),
          text,
        );
        await choose("2-1", "Release");
        await until("it is released", async () => /Ann no longer holds/.test(await text()), text);
        await choose("2-1", "Open story");
        await isShown("told");
        assert.match(String(await inside(`document.querySelector("#told").innerText`)), /boxes: 0 of 2/);
        // The bridge itself is talkative.
        assert.deepEqual(
          tab.complaints.filter((text) => !/consoleAPICalled|can escape its sandboxing/.test(text)),
          [],
        );

        await tab.open(`${url}?mute`, screen);
        await until("the text is shown", async () => (await text()).includes("The board as text"), text);

        for (const theme of ["light", "dark"]) {
          for (const [width, mobile] of [[360, true], [1200, false]] as const) {
            const screen = { width, height: 800, dark: theme === "dark", mobile };
            await tab.open(`${url}?axe&theme=${theme}`, screen);
            await shows("3 of 6 stories are done");
            await tab.evaluate(`window.frames[0].eval(${JSON.stringify(await axeSource())}), true`);
            const found = await tab.evaluate(`window.frames[0].eval(${JSON.stringify(SERIOUS)})`);
            assert.deepEqual(found, [], `${theme} ${width}`);
          }
        }
      },
    ),
});
