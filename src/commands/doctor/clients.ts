/**
 * The clients: whether each that is here knows of this program, and whether what it would start is there and is this.
 */
import {
  type ClientsPlan,
  type Inspection,
  inspectTarget,
  type Launch,
  type Target,
} from "../clients/mod.ts";
import { shownWords } from "../../settings/mod.ts";
import { PRODUCT } from "../../base/model.ts";
import type { Line, Problem, Section } from "./report.ts";

/** What our entry is called where nobody chose otherwise. */
const NAME = "bmad";

/** A file of a client, and what it says of us. */
interface Finding extends Inspection {
  readonly target: Target;
}

/** Looks at the files of all clients that are here; `program` is the command that starts this program. */
export async function examineClients(plan: ClientsPlan | undefined, program: Launch): Promise<Section> {
  const findings: Finding[] = [];
  for (const target of plan?.targets ?? []) {
    findings.push({ target, ...await inspectTarget(target, plan!, NAME) });
  }
  const judged = findings.map((finding) => ({ finding, problem: problemOf(finding, program) }));
  const known = judged.filter(({ finding }) => finding.state !== "absent" || finding.target.isClientHere);
  return {
    name: "clients",
    lines: known.length === 0
      ? [{ mark: "note", label: "none", text: "no client was found on this machine" }]
      : known.map(({ finding, problem }) => lineOf(finding, problem)),
    problems: judged.map(({ problem }) => problem).filter((problem) => problem !== undefined),
    data: { files: known.map(({ finding }) => dataOf(finding)) },
  };
}

function problemOf({ target, ...found }: Finding, program: Launch): Problem | undefined {
  const { client, path, scope } = target;
  const trouble = (level: Problem["level"], code: string, message: string, fix: string): Problem => ({
    section: "clients",
    level,
    code,
    message: `${client.title}: ${message}`,
    fix,
  });
  const folder = path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")));
  const where = scope === "project" ? ["--project", projectOf(target, folder)] : [];
  const install = commandLine({
    command: program.command,
    args: [...program.args, "install", client.id, ...where],
  });
  switch (found.state) {
    case "absent":
      return undefined;
    case "invalid": {
      const place = found.at === undefined ? path : `${path}:${found.at.line}:${found.at.column}`;
      return trouble("look", "client-file", `${place} cannot be read: ${found.problem}`, `Correct ${place}`);
    }
    case "foreign": {
      const runs = found.runs === undefined ? "no program" : commandLine(found.runs);
      const message = `the entry "${NAME}" in ${path} runs ${runs}, which is not this program`;
      return trouble("look", "client-foreign", message, `Replace it: ${install} --force`);
    }
    case "ours": {
      if (found.isThere === false) {
        const message = `${path} starts ${found.program}, which is not there`;
        return trouble("broken", "client-program", message, `Write it anew: ${install}`);
      }
      if (found.isOff) {
        return trouble(
          "look",
          "client-off",
          `the entry in ${path} is switched off`,
          `Switch it on in ${client.title}`,
        );
      }
      if (found.isCurrent === false) {
        const other = found.version === undefined ? "" : `, version ${found.version}`;
        const message = `${path} starts another program than this${other}: ${
          found.runs && commandLine(found.runs)
        }`;
        return trouble("look", "client-other", message, `Write it anew: ${install}`);
      }
    }
  }
  return undefined;
}

/** The project that a client's file is for: the folder that its path begins with. */
function projectOf({ client, path }: Target, folder: string): string {
  const own = client.project?.find((relative) => path.endsWith(`/${relative}`));
  return own === undefined ? folder : path.slice(0, -own.length - 1);
}

function lineOf(finding: Finding, problem: Problem | undefined): Line {
  const { target: { client, path }, state, runs } = finding;
  const text = state === "absent"
    ? `does not know this program: bmad-mcp install ${client.id}`
    : `${path}${runs === undefined ? "" : `: ${commandLine(runs)}`}${versionNote(finding)}`;
  const mark = problem?.level ?? (state === "absent" ? "note" : "good");
  return { mark, label: client.id, text };
}

/** Which version an entry starts, in brackets. */
function versionNote({ state, isThere, isCurrent, version }: Finding): string {
  if (state !== "ours" || isThere === false) return "";
  if (isCurrent) return ` (this program, ${version})`;
  return version === undefined
    ? " (another program; which version is not known without starting it)"
    : version === PRODUCT.version
    ? " (another copy, of the same version)"
    : ` (version ${version}; this is ${PRODUCT.version})`;
}

function dataOf({ target, ...found }: Finding): Readonly<Record<string, unknown>> {
  const { client, scope, path, exists } = target;
  const { state, runs, isThere, isCurrent, version, isOff } = found;
  return {
    ...{ client: client.id, title: client.title, scope, path, exists, state },
    ...(runs && { command: runs.command, args: shownWords(runs.args) }),
    ...(isThere !== undefined && { isThere }),
    ...(isCurrent !== undefined && { isCurrent }),
    ...(version !== undefined && { version }),
    ...(isOff !== undefined && { isOff }),
  };
}

/** A command as a shell takes it, without passwords. */
function commandLine({ command, args }: Launch): string {
  return shownWords([command, ...args]).map((word) => /^[\w./:@=+,-]+$/.test(word) ? word : `'${word}'`).join(
    " ",
  );
}
