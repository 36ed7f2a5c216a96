/**
 * Recognises other BMAD servers among the entries of a client's file.
 *
 * By the program that an entry starts: the package, script or image whose name says both BMAD and MCP. What a program
 * is given, such as the folder of a file server, does not count. A plain `bmad` as the name of an entry does.
 */
import { isValues } from "../../base/values.ts";
import type { Client } from "./client.ts";
import { entriesIn } from "./edit.ts";
import { isOwnLaunch } from "./own_launch.ts";
import { readRemote } from "./remote_shapes.ts";
import { type Entry, type Launch, readLaunch } from "./shapes.ts";

/** Another BMAD server in a client's file. */
export interface Peer {
  readonly name: string;
  readonly entry: Entry;
  /** What it runs; undefined for a server elsewhere. */
  readonly runs?: Launch;
}

const NAME = /^bmad(?:[-_ ]?(?:mcp|method|server|agents?))*$/i;

/** Programs that start the one that their arguments name, and the words between. */
const RUNNER =
  /(?:^|[\\/])(?:npx|npm|pnpm|pnpx|yarn|bunx?|node|deno|tsx|uvx?|pipx|python[\d.]*|py|cmd|env)(?:\.cmd|\.exe)?$/i;
const CONTAINER = /(?:^|[\\/])(?:docker|podman|nerdctl)(?:\.exe)?$/i;
const SHELL = /(?:^|[\\/])(?:sh|bash|zsh|powershell|pwsh)(?:\.exe)?$/i;
const BETWEEN = /^(?:-.*|\/c|dlx|exec|run|tool|x|task|\w+=.*)$/i;

/** Flags whose next word belongs to the program's name. */
const NAMING = /^(?:--from|--package|-p|-m|--directory|--with)$/;

/** Every other BMAD server in a text. */
export function findPeers(text: string, client: Client): readonly Peer[] {
  const { shape, entries } = entriesIn(text, client);
  return Object.entries(entries).flatMap(([name, entry]) => {
    if (!isValues(entry)) return [];
    const runs = readLaunch(shape, entry);
    if (!isPeer(name, entry, runs, client)) return [];
    return [{ name, entry, ...(runs && { runs }) }];
  });
}

function isPeer(name: string, entry: Entry, runs: Launch | undefined, { remote }: Client): boolean {
  if (runs === undefined) return NAME.test(name) && readRemote(remote, entry) === undefined;
  return !isOwnLaunch(runs) && (NAME.test(name) || namingWords(runs).some(isServer));
}

/** Whether a part of a path, a package or an image says both words. One package says only the first. */
function isServer(word: string): boolean {
  return word.split(/[\\/@+:#]/).some((part) =>
    (/bmad/i.test(part) && /mcp/i.test(part)) || part === "istd-bmad"
  );
}

/** The words of a launch that say which program it is. */
function namingWords({ command, args }: Launch): readonly string[] {
  if (SHELL.test(command)) return args.flatMap((word) => word.split(/\s+/)).slice(0, 20);
  if (CONTAINER.test(command)) return args.filter((word) => /^[a-z\d][\w./:-]*$/.test(word));
  if (!RUNNER.test(command)) return [command];
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (NAMING.test(word)) words.push(args[++at] ?? "");
    else if (/^--(?:from|package|directory)=/.test(word)) words.push(word.slice(word.indexOf("=") + 1));
    else if (!BETWEEN.test(word) && !RUNNER.test(word)) return [...words, word];
  }
  return words;
}
