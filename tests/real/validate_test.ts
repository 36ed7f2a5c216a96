/**
 * Is `validate` silent about what BMAD itself has published, except for what it lists as known?
 *
 * The npm packages of every generation, as their authors packed them, and what their installers make of them. Each row of
 * the known faults must occur somewhere.
 */
import assert from "node:assert/strict";
import { packageFolder } from "../../bmad-embedded/npm_package.ts";
import { KNOWN_FAULTS } from "../../src/content/library/health/known_faults.ts";
import { openLibrary, validateSource } from "../../src/content/library/mod.ts";
import { installation, type InstallRequest, type SourcePackage, sourceTree } from "../support/installs.ts";
import { embedded, opening } from "../support/library.ts";

const PACKS = (["latest", "v4"] as const).map((pack, at) => embedded(pack, `package-${at}`));

const PACKAGES: readonly SourcePackage[] = [
  "bmad-method@4.44.3",
  "bmad-method@6.0.0-alpha.7",
  "bmad-method@6.0.0-alpha.22",
  "bmad-method@6.0.0-Beta.5",
  "bmad-method@6.0.4",
  "bmad-method@6.2.0",
  "bmad-method@6.8.0",
  "bmad-method@6.12.0",
  "bmad-method-test-architecture-enterprise@1.27.2",
];

const INSTALLS: readonly InstallRequest[] = [
  { version: "4.44.3", tools: "claude-code,cursor", extra: "packs" },
  { version: "6.0.4", tools: "claude-code" },
  { version: "6.2.0", tools: "claude-code" },
  { version: "6.8.0", tools: "claude-code" },
  { version: "6.12.0", tools: "claude-code" },
];

const TREES: readonly (readonly [name: string, folder: () => Promise<string>])[] = [
  ...PACKAGES.map((name) => [name, () => sourceTree(name)] as const),
  // It is among the embedded ones.
  ["bmad-builder@1.1.0", () => packageFolder("bmad-builder", "1.1.0", { locked: true })],
  ...INSTALLS.map((request) => [`${request.version}, installed`, () => installation(request)] as const),
];

const used = new Set<string>();

for (const [name, folder] of TREES) {
  Deno.test(`${name}: no faults but known ones [authors:upstream]`, async () => {
    const library = await openLibrary([opening("cli", 1, await folder()), ...PACKS]);
    const { faults, items } = await validateSource(library, "", {});
    assert.ok(items > 1, `${items} items`);
    const unknown = faults.filter(({ known }) => known === undefined);
    assert.deepEqual(unknown.map(({ path, line, message }) => `${path}:${line} ${message}`), []);
    for (const { path, message } of faults) {
      const row = KNOWN_FAULTS.find(({ in: place, about }) =>
        `/${path}`.includes(`/${place}`) && (about?.some((text) => message.includes(text)) ?? true)
      );
      used.add(row!.in);
    }
  });
}

Deno.test("every row of the known faults is used", () => {
  assert.deepEqual(KNOWN_FAULTS.map(({ in: place }) => place).filter((place) => !used.has(place)), []);
});
