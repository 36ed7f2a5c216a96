/** A preview installs nothing. */
import { failMissing } from "../../base/errors.ts";
import { joinLines, type Report } from "../../base/report.ts";
import { counted, oneLine } from "../../base/text.ts";
import { type ActivationCost, type Preview, previewUpgrade } from "../../content/library/mod.ts";
import { openLive } from "../../content/live/mod.ts";
import { pinnedLocation } from "../../settings/mod.ts";
import { shownPin } from "./listed.ts";
import { failEmpty, fetchFirst, moduleEntry, newestRelease, type SourcesSession } from "./wanted.ts";

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
      const hint = "Name the project's folder with --project";
      return failMissing("content to compare with", text, { hint });
    }
    const isDiff = options.diff !== undefined;
    const { isCompared } = await import("../../project/scripts/mod.ts");
    const request = { before: before.id, after: origin.id, isDiff, isCompared };
    return { before, found: await previewUpgrade(library, request) };
  });
  const place = before.kind === "package" ? "the embedded content" : before.location;
  const facts = { source: text, version: pin && shownPin(pin), before: place };
  return { text: describe({ ...facts, ...found }), data: { ...facts, ...found } };
}

async function settle(session: SourcesSession) {
  const { plan: { given } } = session;
  if (given?.kind === "folder") {
    return { text: given.path, access: { via: "folder", path: given.path } as const };
  }
  const locations = given?.kind === "remote" ? given.texts : given?.kind === "archive" ? [given.path] : [];
  const module = moduleEntry(session.invocation.operands[0]!, locations);
  const wanted = module === undefined ? locations : [await newestRelease(module.list, session)];
  const { location, pin } = await fetchFirst(wanted, session);
  return { text: location, pin, access: { via: "pinned", source: pinnedLocation(location)!, pin } as const };
}

function describe(
  found: Preview & { readonly source: string; readonly version?: string; readonly before: string },
): string {
  const { source, version, before, versions, lost, gained, forwarding, hasShims, changed } = found;
  const { customizations, scripts, configuration, leftBehind } = found;
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
      [
        counted(scripts.length, "script"),
        `${counted(configuration.length, "key")} of the configuration different`,
      ]
        .join(" and "),
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
    hasShims && `\n${counted(forwarding.length, "name")} only forward to others: this project needs them.`,
    `${hasShims ? "" : "\n"}Nothing was installed or changed.`,
  );
}

const formatNumber = (count: number) => count.toLocaleString("en");

const NOTABLE = 0.1;

function costLines(costs: readonly ActivationCost[]): readonly string[] {
  const [before, after] = (["before", "after"] as const).map((side) => {
    const all = costs.flatMap((cost) => cost[side] ?? []);
    const sum = all.reduce((total, one) => total + one, 0);
    return all.length === 0 ? "–" : formatNumber(Math.round(sum / all.length));
  });
  const notable = costs.flatMap(({ name, before, after }) =>
    before !== undefined && after !== undefined && Math.abs(after - before) > before * NOTABLE
      ? [`${name} ${formatNumber(before)} → ${formatNumber(after)}`]
      : []
  );
  return [`on average ${before} → ${after}`, ...notable];
}
