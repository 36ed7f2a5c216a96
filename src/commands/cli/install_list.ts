/**
 * `bmad-mcp install --list`: every client we know, whether it is installed, and what its file says about BMAD.
 */
import {
  type ClientsPlan,
  findPeersIn,
  type Inspection,
  inspectTarget,
  type Peer,
  renderLaunch,
  type Target,
} from "../clients/mod.ts";
import type { Config } from "../../app.ts";
import { shownWords } from "../../settings/mod.ts";
import type { Host } from "../../process/host.ts";
import { printJson } from "./output.ts";
import { painter } from "./style.ts";
import { oneLine } from "../../base/text.ts";
import type { Column } from "./screen.ts";

interface Row {
  readonly target: Target;
  readonly found: Inspection;
  readonly peers: readonly Peer[];
}

export async function listClients(
  host: Host,
  { invocation: { options } }: Config,
  plan: ClientsPlan,
  name: string,
): Promise<number> {
  const rows: Row[] = [];
  for (const target of plan.targets) {
    const found = await inspectTarget(target, plan, name);
    rows.push({ target, found, peers: (await findPeersIn(target)).filter((peer) => peer.name !== name) });
  }
  const manual = plan.manual.map(({ id, title }) => ({ client: id, title, state: "by-hand" }));
  if (options.json) {
    const items = [...rows.map(dataOf), ...manual];
    printJson(host, { items, total: items.length });
    return 0;
  }
  const lines: readonly Line[] = [
    ...rows.map((row) => ({
      name: row.target.client.id,
      entry: entryOf(row, name),
      here: row.target.isClientInstalled ? "yes" : "",
      path: row.target.path,
    })),
    ...manual.map(({ client }) => ({ name: client, entry: "by hand", here: "", path: "" })),
  ];
  if (host.columns === undefined) {
    const words = ({ name, here, entry, path }: Line) => [name, here || "-", entry || "-", path].map(oneLine);
    host.writeOut(lines.map((line) => `${words(line).join("\t")}\n`).join(""));
    return 0;
  }
  const { renderTable } = await import("./screen.ts");
  const drawing = { columns: host.columns, paint: painter(host.colours.stdout) };
  host.writeOut(renderTable(lines, COLUMNS, drawing).map((line) => `${line}\n`).join(""));
  return 0;
}

interface Line {
  readonly name: string;
  readonly here: string;
  readonly entry: string;
  readonly path: string;
}

const COLUMNS: readonly Column<Line>[] = [
  { heading: "CLIENT", cell: ({ name }) => name, isWhole: true },
  { heading: "INSTALLED", cell: ({ here }) => here },
  { heading: "ENTRY", cell: ({ entry }) => entry },
  { heading: "FILE", cell: ({ path }) => path, isWhole: true },
];

function entryOf({ found, peers }: Row, name: string): string {
  const own = OWN[found.state](found, name);
  const others = peers.map((peer) => `other BMAD server: ${peer.name}`);
  return [own, ...others].filter((text) => text !== "").join("; ");
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

function dataOf({ target, found, peers }: Row): Readonly<Record<string, unknown>> {
  const { client, scope, path, exists, isClientInstalled } = target;
  const { state, runs, url, version, problem } = found;
  return {
    client: client.id,
    title: client.title,
    scope,
    path,
    exists,
    found: isClientInstalled,
    state,
    ...(runs !== undefined && { runs: { ...runs, args: shownWords(runs.args) } }),
    ...(url !== undefined && { url }),
    ...(version !== undefined && { version }),
    ...(problem !== undefined && { problem }),
    ...(peers.length > 0 && { others: peers.map((peer) => peer.name) }),
  };
}
