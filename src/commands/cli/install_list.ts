/** `bmad-mcp install --list`: every client we know, whether it is installed, and what its file says about BMAD. */
import { findPeersIn, type Inspection, inspectTarget, type Peer } from "../clients/entries.ts";
import { type ClientsPlan, renderLaunch, type Target } from "../clients/mod.ts";
import { shownWords } from "../../settings/mod.ts";
import type { Host } from "../../process/host.ts";
import { printTable } from "./output.ts";
import type { Column } from "./screen.ts";
import type { Answer } from "./session.ts";

interface Found {
  readonly target: Target;
  readonly found: Inspection;
  readonly peers: readonly Peer[];
}

export async function listClients(
  host: Host,
  plan: ClientsPlan,
  name: string,
  json: boolean,
): Promise<Answer> {
  const files = plan.targets.map((target): Found => ({
    target,
    found: inspectTarget(target, plan, name),
    peers: findPeersIn(target).filter((peer) => peer.name !== name),
  }));
  const rows = [
    ...files.map((one) => rowOf(one, name)),
    ...plan.manual.map(({ id }) => [id, "", "by hand", ""]),
  ];
  if (!json) {
    await printTable(host, rows, COLUMNS, (row) => row.map((cell, at) => at < 3 ? cell || "-" : cell));
  }
  const manual = plan.manual.map(({ id, title }) => ({ client: id, title, state: "by-hand" }));
  return { data: { items: [...files.map(dataOf), ...manual], total: rows.length } };
}

const COLUMNS: readonly Column<readonly string[]>[] = [
  { heading: "CLIENT", cell: ([client]) => client!, isWhole: true },
  { heading: "INSTALLED", cell: ([, isHere]) => isHere! },
  { heading: "ENTRY", cell: ([, , entry]) => entry! },
  { heading: "FILE", cell: ([, , , file]) => file!, isWhole: true },
];

function rowOf({ target: { client, path, isClientInstalled }, found, peers }: Found, name: string) {
  const others = peers.map((peer) => `other BMAD server: ${peer.name}`);
  const entry = [OWN[found.state](found, name), ...others].filter((text) => text !== "").join("; ");
  return [client.id, isClientInstalled ? "yes" : "", entry, path];
}

const OWN: Readonly<Record<Inspection["state"], (found: Inspection, name: string) => string>> = {
  absent: () => "",
  ours: ({ url, isCurrent, version, isOff, isThere }, name) => {
    const what = url ??
      (isThere === false ? "program missing" : isCurrent ? "this program" : version ?? "another copy");
    return `${name}: ${what}${isOff ? ", switched off" : ""}`;
  },
  foreign: ({ runs }, name) => `${name}: ${runs === undefined ? "another server" : renderLaunch(runs)}`,
  invalid: ({ problem }) => `cannot be read: ${problem}`,
};

function dataOf({ target, found: { state, runs, url, version, problem }, peers }: Found) {
  const { client, scope, path, exists, isClientInstalled } = target;
  return {
    client: client.id,
    title: client.title,
    scope,
    path,
    exists,
    found: isClientInstalled,
    state,
    runs: runs && { ...runs, args: shownWords(runs.args) },
    url,
    version,
    problem,
    ...(peers.length > 0 && { others: peers.map((peer) => peer.name) }),
  };
}
