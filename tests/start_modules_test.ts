/**
 * What does a start over stdio load before its first answer?
 *
 * Every module costs time, and every package much of it. The list is pinned: `deno task snap` updates it, and a module
 * that appears in it should be one that a first answer needs.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { pin } from "./support/pins.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

const LOADED = [
  ..."main.ts src/start.ts src/serve/handshake/mod.ts src/commands/cli/mod.ts".split(" "),
  ..."src/app.ts src/serve/mcp/mod.ts".split(" "),
];

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier: string };
    readonly isDynamic?: boolean;
  }[];
}

async function modulesOf(entry: string): Promise<readonly string[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", `${ROOT}${entry}`],
  }).output();
  const { roots, modules, redirects } = JSON.parse(new TextDecoder().decode(stdout)) as {
    readonly roots: readonly string[];
    readonly modules: readonly Module[];
    readonly redirects: Readonly<Record<string, string>>;
  };
  const known = new Map(modules.map((module) => [module.specifier, module]));
  const loaded = new Set(roots);
  for (const specifier of loaded) {
    for (const { code, isDynamic } of known.get(specifier)?.dependencies ?? []) {
      if (code !== undefined && !isDynamic) loaded.add(redirects[code.specifier] ?? code.specifier);
    }
  }
  return [...loaded];
}

Deno.test("a start loads these modules and no others [start:modules]", async () => {
  const all = (await Promise.all(LOADED.map(modulesOf))).flat();
  const names = all.map((specifier) => specifier.replace(new RegExp(`^file://.*?/(?=main\\.ts$|src/)`), ""));
  const packages = new Set(
    names.filter((name) => name.startsWith("npm:")).map((name) => /^npm:\/?(@?[^@]+)@/.exec(name)?.[1]),
  );
  assert.deepEqual([...packages], ["@modelcontextprotocol/server"]);
  const own = [...new Set(names.filter((name) => name.startsWith("src/") || name === "main.ts"))].sort();
  await pin(new URL("pins/", import.meta.url), "start_modules", own);
});
