/** `preview`: what another version of BMAD, or of a module, would change in the project. Nothing is installed. */
import { fail } from "../../base/errors.ts";
import { joinLines, type Report } from "../../base/report.ts";
import { counted, oneLine } from "../../base/text.ts";
import { type ActivationCost, type Preview, previewUpgrade } from "../../content/library/mod.ts";
import { openLive } from "../../content/live/mod.ts";
import { type Pin, pinnedLocation } from "../../settings/mod.ts";
import { shownPin } from "./listed.ts";
import { failEmpty, fetchFirst, newestRelease, type SourcesSession } from "./session.ts";
import { moduleEntry } from "./wanted.ts";

export async function preview(session: SourcesSession): Promise<Report> {
  const { config, host, invocation: { options } } = session;
  const { text, pin, access } = await settle(session);
  const origin = { id: "preview", kind: "npm", priority: 10, location: text } as const;
  const live = openLive({ ...config, origins: [...config.origins, { origin, access }] }, host);
  const { before, found } = await live.ask(async (library) => {
    const has = (id: string) => library.whole.manifest.entries.some((entry) => entry.origin.id === id);
    if (!has(origin.id)) return failEmpty(library, origin.id, text);
    // Without an installation, what is served in its place would be replaced.
    const before = config.origins.map((one) => one.origin).find(({ id, kind }) =>
      has(id) && kind !== "cli" && kind !== "env" && kind !== "user"
    );
    if (before === undefined) {
      return fail({ code: "not-found", what: "content to compare with", name: text, hint: NO_CONTENT });
    }
    const isDiff = options.diff !== undefined;
    const { isCompared } = await import("../../project/scripts/mod.ts");
    const request = { before: before.id, after: origin.id, isDiff, isCompared };
    return { before, found: await previewUpgrade(library, request) };
  });
  const place = before.kind === "package" ? "the embedded content" : before.location;
  const facts = { source: text, version: pin && shownPin(pin), before: place };
  return { text: describe(facts, found), data: { ...facts, ...found } };
}

const NO_CONTENT = "Name the project's folder with --project";

interface Settled {
  readonly text: string;
  readonly pin?: Pin;
  readonly access: SourcesSession["config"]["origins"][number]["access"];
}

async function settle(session: SourcesSession): Promise<Settled> {
  const { plan: { given } } = session;
  if (given?.kind === "folder") {
    return { text: given.path, access: { via: "folder", path: given.path } };
  }
  const locations = given?.kind === "remote" ? given.texts : given?.kind === "archive" ? [given.path] : [];
  const module = moduleEntry(session.invocation.operands[0]!, locations);
  const wanted = module === undefined ? locations : [await newestRelease(module.list, session)];
  const { location, pin } = await fetchFirst(wanted, session);
  return { text: location, pin, access: { via: "pinned", source: pinnedLocation(location)!, pin } };
}

interface Facts {
  readonly source: string;
  readonly version?: string;
  readonly before: string;
}

function describe({ source, version, before }: Facts, found: Preview): string {
  const { versions, lost, gained, forwarding, hasShims, changed, customizations } = found;
  const { scripts, configuration, leftBehind } = found;
  const shims = hasShims ? forwarding.filter(({ isNew }) => isNew) : [];
  const section = (title: string, lines: readonly string[]) =>
    lines.length > 0 && [`\n${title}`, ...lines.map((line) => `  ${oneLine(line)}`)];
  const had = versions.length === 0 ? "" : `, which has ${versions.join(", ")}`;
  const filesOf = ({ files }: Preview["changed"][number]) =>
    files.map(({ file, change }) => change === "changed" ? file : `${change} ${file}`).join(", ");
  return joinLines(
    `${source}${version === undefined ? "" : `, ${version}`}, in the place of ${before}${had}`,
    [
      `${counted(lost.length, "name")} lost`,
      `${gained.length} gained`,
      `${counted(changed.length, "item")} changed`,
      `${counted(customizations.length, "customization")} without effect`,
      `${counted(scripts.length, "script")} and ${
        counted(configuration.length, "key")
      } of the configuration different`,
    ].join(", "),
    section(
      "Lost",
      lost.map(({ kind, name, now }) => `${kind} ${name}${now ? `: ${now} does its work` : ""}`),
    ),
    section("Gained", gained.map(({ kind, name }) => `${kind} ${name}`)),
    section("From now on only forward", shims.map(({ name, to }) => `${name}${to ? ` to ${to}` : ""}`)),
    section(
      "Customizations without effect",
      customizations.map(({ file, name, reason }) => `${file}, for ${name}: ${reason}`),
    ),
    section(
      "Scripts",
      scripts.map(({ file, change, isCompared }) =>
        `${change} ${file}${isCompared === false ? ", which this version of bmad-mcp does not know" : ""}`
      ),
    ),
    section("Configuration", configuration.map(({ module, key, change }) => `${change} ${module}.${key}`)),
    section("Tokens of an activation, about", costLines(found.activations)),
    section("Stays where it is: delete it once you have upgraded", leftBehind),
    section("Changed", changed.map((item) => `${item.name} (${filesOf(item)})`)),
    changed.flatMap(({ files }) => files.flatMap(({ diff }) => diff === undefined ? [] : [`\n${diff}`])),
    hasShims &&
      `\n${
        counted(forwarding.length, "name")
      } only forward to others, and stay because this project has such names.`,
    `${hasShims ? "" : "\n"}Nothing was installed or changed.`,
  );
}

const formatNumber = (count: number) => count.toLocaleString("en");

const NOTABLE = 0.1;

function costLines(costs: readonly ActivationCost[]): readonly string[] {
  const mean = (side: "before" | "after") => {
    const all = costs.flatMap((cost) => cost[side] ?? []);
    return all.length === 0
      ? "–"
      : formatNumber(Math.round(all.reduce((sum, one) => sum + one, 0) / all.length));
  };
  const notable = costs.filter(({ before, after }) =>
    before !== undefined && after !== undefined && Math.abs(after - before) > before * NOTABLE
  );
  return [
    `on average ${mean("before")} → ${mean("after")}`,
    ...notable.map(({ name, before, after }) => `${name} ${formatNumber(before!)} → ${formatNumber(after!)}`),
  ];
}
