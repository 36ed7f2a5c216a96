/**
 * The names that the project-memory kit gives: of a project, of its collections, and of a memory.
 *
 * They are the kit's to the letter, so that both tools mean one memory by one id. The kind of a memory is not in its
 * id, and of its text only the beginning is: two texts that begin alike are one memory to the kit.
 */

/** The namespace of names in the DNS, from RFC 9562. */
const NAMESPACE = Uint8Array.fromHex("6ba7b8109dad11d180b400c04fd430c8");

/** So much of a text is in its id, in characters as Python counts them. */
export const HEAD = 150;

/** The kit's name for a project: `Demo App` is `bmad-demo-app`. */
export function appIdOf(projectName: string): string {
  return `bmad-${dashed(projectName)}`;
}

/** The kit's name for a user. */
export function userIdOf(userName: string | undefined): string {
  return dashed(userName ?? "user");
}

function dashed(name: string): string {
  return name.toLowerCase().replaceAll(" ", "-");
}

/** The collection of a project that memories of one type are in. */
export function collectionOf(project: string, type: string): string {
  return `${project}-${type}`;
}

/** The id of a memory. */
export function memoryId(
  { project, agent, text }: { readonly project: string; readonly agent: string; readonly text: string },
): Promise<string> {
  return uuidOf(`${project}:${agent}:${Array.from(text.slice(0, 2 * HEAD)).slice(0, HEAD).join("")}`);
}

/** A UUID of version 5: the same for the same name. */
async function uuidOf(name: string): Promise<string> {
  const bytes = new Uint8Array([...NAMESPACE, ...new TextEncoder().encode(name)]);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", bytes)).slice(0, 16);
  digest[6] = digest[6]! & 0x0f | 0x50;
  digest[8] = digest[8]! & 0x3f | 0x80;
  return digest.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
