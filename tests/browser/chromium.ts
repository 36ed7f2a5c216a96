/**
 * A real browser for tests: Chromium without a window, driven over its DevTools protocol.
 *
 * Debian's package is installed when there is no Chromium. Nothing else is needed: the protocol is JSON over a socket.
 */

export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly dark: boolean;
  readonly mobile?: boolean;
}

export const SCREENS: Readonly<Record<string, Screen>> = {
  "desk-light": { width: 1_200, height: 900, dark: false },
  "desk-dark": { width: 1_200, height: 900, dark: true },
  "phone-light": { width: 360, height: 740, dark: false, mobile: true },
  "phone-dark": { width: 360, height: 740, dark: true, mobile: true },
};

export interface Tab {
  open(url: string, screen: Screen): Promise<void>;
  // deno-lint-ignore no-explicit-any
  evaluate(expression: string): Promise<any>;
  click(selector: string, options?: { readonly leads: boolean }): Promise<void>;
  type(text: string): Promise<void>;
  press(key: string): Promise<void>;
  drag(from: string, to: string): Promise<void>;
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
  history(): Promise<readonly string[]>;
  cookies(): Promise<readonly Cookie[]>;
  screenshot(): Promise<Uint8Array>;
}

export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly httpOnly: boolean;
  readonly sameSite?: string;
}

export interface Browser extends AsyncDisposable {
  /** Opens a tab in which pages can run no script, unless that is wanted. */
  newTab(options?: { readonly scripts?: boolean }): Promise<Tab>;
}

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

export const isBrowserRun = Deno.env.get("BMAD_MCP_BROWSER") === "1";

export async function hasBrowser(): Promise<boolean> {
  const isHere = await installedChromium() !== undefined;
  if (!isHere) await Deno.stderr.write(new TextEncoder().encode(`Skipped: ${NONE}\n`));
  return isHere;
}

const NONE = "There is no Chromium here: install Debian's package chromium, or name one with CHROMIUM=FILE";

async function installedChromium(): Promise<string | undefined> {
  const given = Deno.env.get("CHROMIUM");
  if (given) return given;
  for (const name of NAMES) if (await succeeds(name, "--version")) return name;
  return undefined;
}

async function findChromium(): Promise<string> {
  const found = await installedChromium();
  if (found !== undefined) return found;
  const isRoot = Deno.uid() === 0;
  const install = [...(isRoot ? [] : ["sudo", "-n"]), "apt-get", "install", "-y", "chromium"];
  if (await succeeds(...install)) return NAMES[0]!;
  throw new Error(NONE);
}

async function succeeds(...[command, ...args]: readonly string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(command!, { args, stdout: "null", stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

export async function startBrowser(): Promise<Browser> {
  const profile = await Deno.makeTempDir({ prefix: "bmad-mcp-browser-" });
  const child = new Deno.Command(await findChromium(), {
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--hide-scrollbars",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-default-apps",
      ...["--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"],
    ],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const address = await findAddress(child.stderr);
  const wire = await openWire(address);
  return {
    newTab: ({ scripts = false } = {}) => openTab(wire, scripts),
    [Symbol.asyncDispose]: async () => {
      await wire.send("Browser.close").catch(() => {});
      await child.status;
      await wire.closed;
      // The browser's own helpers may still write for a moment.
      for (let tries = 0;; tries++) {
        try {
          return await Deno.remove(profile, { recursive: true });
        } catch (error) {
          if (tries === 20) throw error;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    },
  };
}

/** Reads on to the end, so that the browser is never held up by what it has to say. */
function findAddress(stderr: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  const found = Promise.withResolvers<string>();
  (async () => {
    let said = "";
    for await (const text of stderr.pipeThrough(new TextDecoderStream())) {
      said = (said + text).slice(-10_000);
      const [, address] = /DevTools listening on (ws:\S+)/.exec(said) ?? [];
      if (address !== undefined) found.resolve(address);
    }
    found.reject(new Error(`Chromium ended: ${said}`));
  })();
  return found.promise;
}

// deno-lint-ignore no-explicit-any
type Json = any;

interface Wire {
  send(method: string, params?: Json, sessionId?: string): Promise<Json>;
  on(sessionId: string, hear: (method: string, params: Json) => void): void;
  readonly closed: Promise<void>;
}

async function openWire(address: string): Promise<Wire> {
  const socket = new WebSocket(address);
  const open = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const waiting = new Map<number, PromiseWithResolvers<Json>>();
  const ears = new Map<string, (method: string, params: Json) => void>();
  let last = 0;
  socket.onopen = () => open.resolve();
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error("the browser has gone"));
    closed.resolve();
  };
  socket.onmessage = ({ data }) => {
    const { id, result, error, method, params, sessionId } = JSON.parse(data);
    if (method !== undefined) return ears.get(sessionId)?.(method, params);
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error.message));
    waiting.delete(id);
  };
  await open.promise;
  return {
    send: (method, params = {}, sessionId) => {
      const answer = Promise.withResolvers<Json>();
      waiting.set(++last, answer);
      socket.send(JSON.stringify({ id: last, method, params, sessionId }));
      return answer.promise;
    },
    on: (sessionId, hear) => void ears.set(sessionId, hear),
    closed: closed.promise,
  };
}

const CODES: Readonly<Record<string, number>> = {
  Tab: 9,
  Enter: 13,
  Escape: 27,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
};

async function openTab(wire: Wire, scripts: boolean): Promise<Tab> {
  const { targetId } = await wire.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await wire.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method: string, params?: Json) => wire.send(method, params, sessionId);
  const complaints: string[] = [];
  const requests: string[] = [];
  let loaded = Promise.withResolvers<void>();
  let dragging = Promise.withResolvers<Json>();
  wire.on(sessionId, (method, params) => {
    switch (method) {
      case "Page.loadEventFired":
        return loaded.resolve();
      case "Input.dragIntercepted":
        return dragging.resolve(params.data);
      case "Network.requestWillBeSent":
        return void requests.push(params.request.url);
      case "Log.entryAdded":
        return void complaints.push(`${params.entry.source} ${params.entry.level}: ${params.entry.text}`);
      case "Runtime.consoleAPICalled":
      case "Runtime.exceptionThrown":
      case "Page.javascriptDialogOpening":
        return void complaints.push(`${method} ${JSON.stringify(params).slice(0, 300)}`);
    }
  });
  for (const domain of ["Page", "Network", "Log", "Runtime"]) await send(`${domain}.enable`);
  await send("Emulation.setScriptExecutionDisabled", { value: !scripts });
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails !== undefined) {
      throw new Error(exceptionDetails.exception?.description ?? "it threw");
    }
    return result.value;
  };
  const leaving = async (act: () => Promise<unknown>) => {
    loaded = Promise.withResolvers();
    await act();
    await loaded.promise;
  };
  const middleOf = async (selector: string): Promise<readonly [number, number]> =>
    await evaluate(
      `(() => { const e = document.querySelector(${
        JSON.stringify(selector)
      }); e.scrollIntoView({ block: "center" });
          const { x, y, width, height } = e.getBoundingClientRect(); return [x + width / 2, y + height / 2]; })()`,
    );
  const mouse = (type: string, x: number, y: number) =>
    send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: 1, clickCount: 1 });
  return {
    complaints,
    requests,
    evaluate,
    open: async (url, { width, height, dark, mobile = false }) => {
      await send("Emulation.setDeviceMetricsOverride", { width, height, mobile, deviceScaleFactor: 1 });
      await send("Emulation.setEmulatedMedia", {
        features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
      });
      await leaving(() => send("Page.navigate", { url }));
    },
    click: async (selector, { leads } = { leads: false }) => {
      const [x, y] = await middleOf(selector);
      const press = async () => {
        for (const type of ["mousePressed", "mouseReleased"]) await mouse(type, x, y);
      };
      await (leads ? leaving(press) : press());
    },
    type: async (text) => {
      await send("Input.insertText", { text });
    },
    press: async (name) => {
      const [key = "", ...modifiers] = name.split("+").toReversed();
      const text = key === "Enter" ? "\r" : undefined;
      for (const type of ["keyDown", "keyUp"]) {
        await send("Input.dispatchKeyEvent", {
          type,
          key,
          code: key,
          windowsVirtualKeyCode: CODES[key],
          modifiers: modifiers.includes("Shift") ? 8 : 0,
          ...(type === "keyDown" && text && { text }),
        });
      }
    },
    drag: async (from, to) => {
      dragging = Promise.withResolvers();
      await send("Input.setInterceptDrags", { enabled: true });
      const [x, y] = await middleOf(from);
      await mouse("mousePressed", x, y);
      await mouse("mouseMoved", x + 8, y + 8);
      const data = await dragging.promise;
      const [left, top] = await middleOf(to);
      for (const type of ["dragEnter", "dragOver", "drop"]) {
        await send("Input.dispatchDragEvent", { type, x: left, y: top, data });
      }
      await mouse("mouseReleased", left, top);
      await send("Input.setInterceptDrags", { enabled: false });
    },
    history: async () => {
      const { entries } = await send("Page.getNavigationHistory");
      return entries.map(({ url }: { readonly url: string }) => url);
    },
    cookies: async () => (await send("Network.getCookies")).cookies,
    screenshot: async () => {
      const { data } = await send("Page.captureScreenshot", { format: "png", captureBeyondViewport: true });
      return Uint8Array.fromBase64(data);
    },
  };
}
