/**
 * How does a test make a repository that git itself would not write?
 *
 * Objects are written one by one into a bare repository, as git stores them, without any of its checks.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { type Repository, runGit } from "./git.ts";

const MODES = { file: "100644", folder: "40000" } as const;

export type TreeEntry = readonly [mode: keyof typeof MODES, name: string, hash: string];

export function writeObject(
  repository: string,
  type: "blob" | "tree" | "commit",
  content: Uint8Array,
): string {
  const bytes = Buffer.concat([new TextEncoder().encode(`${type} ${content.length}\0`), content]);
  const hash = createHash("sha1").update(bytes).digest("hex");
  const folder = `${repository}/objects/${hash.slice(0, 2)}`;
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeFileSync(`${folder}/${hash.slice(2)}`, deflateSync(bytes));
  return hash;
}

export function writeTree(repository: string, entries: readonly TreeEntry[]): string {
  const encoder = new TextEncoder();
  const parts = entries.map(([mode, name, hash]) => [
    ...encoder.encode(`${MODES[mode]} ${name}\0`),
    ...Uint8Array.fromHex(hash),
  ]);
  return writeObject(repository, "tree", new Uint8Array(parts.flat()));
}

export function commitTree({ folder }: Pick<Repository, "folder">, tree: string): void {
  const person = "Ann <ann@example.org> 1700000000 +0000";
  const text = `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nChange\n`;
  const commit = writeObject(folder, "commit", new TextEncoder().encode(text));
  runGit(folder, "update-ref", "refs/heads/main", commit);
}
