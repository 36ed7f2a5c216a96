/** The program itself: its version, its rights, its embedded content, and whether it answers clients. */
import { checkPack, type Config, isChosen, type PackCheck } from "../../app.ts";
import { expectFailure } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import type { Probe } from "../../serve/mcp/mod.ts";
import { DENO_TASK, PRODUCT, type RightsInForce } from "../../base/model.ts";
import { abbreviateList, counted } from "../../base/text.ts";
import { LIMITS } from "../limits.ts";
import { error, type Line, line, type Section, section, warning } from "./report.ts";

export async function checkBinary(
  host: Host,
  config: Config,
  rights: RightsInForce,
  probes: readonly Probe[],
): Promise<Section> {
  const { name, version } = PRODUCT;
  const { launch: { command, args }, runtime, target } = host;
  const launch = [command, ...args].join(" ");
  const commit = host.commit() ?? null;
  const build = [runtime, ...(commit === null ? [] : [`commit ${commit.slice(0, 12)}`])].join(", ");
  const pack = await checkEmbedded(config);
  const { files = 0, damaged = [] } = pack ?? {};
  return section("binary", {
    lines: [
      line("info", "version", `${name} ${version}, ${build}`),
      line("info", "command", launch),
      ...rightsLines(rights, config),
      pack &&
      (damaged.length > 0
        ? line("error", "embedded", `${damaged.length} of ${files} files damaged`)
        : line("ok", "embedded", `content intact (${files} files of ${config.settings.pack})`)),
      ...probes.map(probeLine),
    ],
    problems: [
      !rights.sandboxed &&
      warning("no-sandbox", "The program can read and write the whole disk", "Remove --no-sandbox"),
      ...rights.refused.map((right) =>
        error(
          "right-refused",
          `The program was started without permission to ${right}`,
          `Start it with its usual command: ${launch}`,
        )
      ),
      damaged.length > 0 && error(
        "damaged-content",
        `Embedded content is damaged: ${damaged.length} of ${files} files, such as ${damaged[0]}`,
        `Reinstall the program; in a checkout, run: ${DENO_TASK} embed`,
      ),
      ...probes.map(({ era, problem }) =>
        problem !== undefined && error(
          "no-answer",
          `The server fails for a ${era} client: ${problem}`,
          "Please report this, with the output of --log-level debug",
        )
      ),
    ],
    data: { name, version, commit, runtime, target, command, args, rights, embedded: pack ?? null, probes },
  });
}

function rightsLines(
  { sandboxed, read, write, run, net }: RightsInForce,
  config: Config,
): readonly Line[] {
  if (!sandboxed) return [line("warning", "rights", "the whole disk")];
  // This command changes nothing, unlike a server with the same settings.
  const others = isChosen(config, "work", "bmad_work") ? config.work?.folders ?? [] : [];
  const none = (right: string) =>
    right === "write" && others.length > 0 ? `none here; a server: ${others.join(", ")}` : "none";
  return Object.entries({ read, write, run, network: net ? ["any server"] : [] }).map(([right, names]) =>
    line("ok", right, shortened(names) || none(right))
  );
}

function shortened(names: readonly string[]): string {
  const { namesInLine } = LIMITS.doctor;
  return abbreviateList(names, namesInLine) +
    (names.length - namesInLine > 1 ? " (bmad-mcp doctor --json)" : "");
}

function probeLine({ era, revision, tools, ms, problem }: Probe): Line {
  const times = Object.entries(ms).map(([step, time]) => `${step} ${time.toFixed(1)} ms`).join(", ");
  return line(
    problem === undefined ? "ok" : "error",
    `client ${era}`,
    problem ?? `${revision}, ${counted(tools, "tool")}, ${times}`,
  );
}

/** The embedded content, read completely. If it cannot even be opened, the content section reports that. */
async function checkEmbedded({ origins }: Config): Promise<PackCheck | undefined> {
  const access = origins.map(({ access }) => access).find(({ via }) => via === "pack");
  if (access?.via !== "pack") return undefined;
  const found = await checkPack(access.pack, access.contentDir).catch(expectFailure);
  return "code" in found ? undefined : found;
}
