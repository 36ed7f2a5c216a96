/**
 * The program itself: which it is, what it may do, whether its content is whole, and whether it answers clients.
 */
import { checkPack, type Config, type PackCheck } from "../../app.ts";
import { BmadError } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import type { Probe } from "../../serve/mcp/mod.ts";
import { DENO_TASK, PRODUCT, type RightsInForce } from "../../base/model.ts";
import type { Line, Problem, Section } from "./report.ts";

/** Looks at the program. */
export async function examineBinary(
  host: Host,
  config: Config,
  rights: RightsInForce,
  probes: readonly Probe[],
): Promise<Section> {
  const { name, version } = PRODUCT;
  const { command, args } = host.launch;
  const commit = host.commit() ?? null;
  const build = [host.runtime, ...(commit === null ? [] : [`commit ${commit.slice(0, 12)}`])].join(", ");
  const pack = await packCheck(config);
  const problems: readonly Problem[] = [
    ...(rights.sandboxed ? [] : [problem("look", "no-sandbox", {
      message: "The program keeps the right to read and write the whole disk",
      fix: "Leave out --no-sandbox",
    })]),
    ...rights.refused.map((right) =>
      problem("broken", "right-refused", {
        message: `The program was started without the right to ${right}`,
        fix: `Start it as it is meant to be: ${[command, ...args].join(" ")}`,
      })
    ),
    ...(pack !== undefined && pack.damaged.length > 0
      ? [problem("broken", "damaged-content", {
        message: `${pack.damaged.length} of ${pack.files} files of the embedded content are damaged, ` +
          `such as ${pack.damaged[0]}`,
        fix: `Install the program again; from a checkout: ${DENO_TASK} embed`,
      })]
      : []),
    ...probes.filter((probe) => probe.problem !== undefined).map((probe) =>
      problem("broken", "no-answer", {
        message: `A client of ${probe.era} gets no proper answer: ${probe.problem}`,
        fix: "Please report this, with what --log-level debug says",
      })
    ),
  ];
  const lines: readonly Line[] = [
    { mark: "note", label: "version", text: `${name} ${version}, ${build}` },
    { mark: "note", label: "command", text: [command, ...args].join(" ") },
    ...rightsLines(rights),
    ...(pack === undefined ? [] : [
      {
        mark: pack.damaged.length === 0 ? "good" : "broken",
        label: "embedded",
        text: `${pack.files} files of ${config.settings.pack} are as they were built`,
      } satisfies Line,
    ]),
    ...probes.map(probeLine),
  ];
  return {
    name: "binary",
    lines,
    problems,
    data: {
      ...{ name, version, commit, runtime: host.runtime, target: host.target, command, args },
      ...{ rights, embedded: pack ?? null, probes },
    },
  };
}

function problem(
  level: Problem["level"],
  code: string,
  { message, fix }: Pick<Problem, "message" | "fix">,
): Problem {
  return { section: "binary", level, code, message, fix };
}

function rightsLines({ sandboxed, read, write, run, net }: RightsInForce): readonly Line[] {
  if (!sandboxed) return [{ mark: "look", label: "rights", text: "the whole disk" }];
  const connect = net ? ["to any server"] : [];
  return Object.entries({ read, write, run, connect }).map(([right, names]): Line => ({
    mark: "good",
    label: `may ${right}`,
    text: names.join(", ") || (right === "connect" ? "to nobody" : "nothing"),
  }));
}

function probeLine({ era, revision, tools, ms, problem }: Probe): Line {
  const times = Object.entries(ms).map(([step, time]) => `${step} ${time.toFixed(1)} ms`).join(", ");
  return {
    mark: problem === undefined ? "good" : "broken",
    label: `client ${era}`,
    text: problem ?? `${revision}, tools: ${tools}, ${times}`,
  };
}

/** Of a pack that cannot even be opened the content section tells. */
async function packCheck({ origins }: Config): Promise<PackCheck | undefined> {
  const access = origins.map(({ access }) => access).find(({ via }) => via === "pack");
  if (access?.via !== "pack") return undefined;
  try {
    return await checkPack(access.pack, access.contentDir);
  } catch (error) {
    if (error instanceof BmadError) return undefined;
    throw error;
  }
}
