/**
 * The names that the project-memory kit gives to projects, collections and memories.
 *
 * They are the kit's to the letter, so that both tools mean the same memory by the same id. The id covers neither the
 * type nor the whole text: to the kit, two texts with the same start are one memory.
 */
import type { Memory } from "./store.ts";

/** The DNS namespace of RFC 9562. */
const NAMESPACE = Uint8Array.fromHex("6ba7b8109dad11d180b400c04fd430c8");

/** How much of a text its id covers, in characters as Python counts them. */
export const HEAD = 150;

/** `Demo App` is `bmad-demo-app`. */
export function appIdOf(projectName: string): string {
  return `bmad-${dashed(projectName)}`;
}

export function userIdOf(userName: string | undefined): string {
  return dashed(userName ?? "user");
}

function dashed(name: string): string {
  return name.toLowerCase().replaceAll(" ", "-");
}

export function collectionOf(project: string, type: string): string {
  return `${project}-${type}`;
}

/** The id of a memory: the same for the same project, agent and beginning of its text. */
export function memoryId(
  { project, agent, text }: Pick<Memory, "project" | "agent" | "text">,
): Promise<string> {
  return uuidOf(`${project}:${agent}:${Array.from(text.slice(0, 2 * HEAD)).slice(0, HEAD).join("")}`);
}

/** A version 5 UUID: the same for the same name. */
async function uuidOf(name: string): Promise<string> {
  const bytes = new Uint8Array([...NAMESPACE, ...new TextEncoder().encode(name)]);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", bytes)).slice(0, 16);
  digest[6] = digest[6]! & 0x0f | 0x50;
  digest[8] = digest[8]! & 0x3f | 0x80;
  return digest.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
