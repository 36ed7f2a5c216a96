/**
 * `bmad-mcp modules`: BMAD's official modules, where they come from, and which of them are served here.
 */
import type { App } from "../../app.ts";
import type { Host } from "../../process/host.ts";
import { moduleNamed, MODULES_AS_OF, OFFICIAL_MODULES } from "../../base/official_modules.ts";
import { asText } from "../../base/values.ts";
import type { Invocation } from "../../settings/mod.ts";
import { columnsOf } from "./columns.ts";
import { printJson, printRows } from "./output.ts";

/** Prints the modules. */
export async function modules(host: Host, app: App, { options }: Invocation): Promise<void> {
  const served = (await app.list({ what: "modules" })).flatMap(({ data }) => {
    const module = moduleNamed(asText(data["name"]) ?? "");
    const version = asText(data["version"]);
    return module === undefined
      ? []
      : [{ module, here: { origin: asText(data["origin"]), ...(version && { version }) } }];
  });
  const items = OFFICIAL_MODULES.map((module) => {
    const { code, name, purpose, source, state, note } = module;
    const here = served.find((one) => one.module === module)?.here;
    return { code, name, purpose, source, state, ...(note && { note }), ...(here && { here }) };
  });
  if (options.json) return printJson(host, { items, total: items.length, asOf: MODULES_AS_OF });
  const rows = items.map((data) => {
    const { code, purpose, source, state, note, here } = data;
    const place = here === undefined ? undefined : [here.version, here.origin].filter(Boolean).join(", ");
    const why = [...(state === "current" ? [] : [state]), ...(note === undefined ? [] : [note])].join(": ");
    const about = `${purpose}; from ${source}; ${place === undefined ? "not served here" : `here: ${place}`}`;
    return { name: code, about, ...(why !== "" && { why }), data };
  });
  await printRows(host, rows, columnsOf("official modules"));
  if (host.terminal.stdout) {
    host.writeErr(`As of ${MODULES_AS_OF}. To add one: bmad-mcp add cis\n`);
  }
}
