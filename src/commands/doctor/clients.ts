import { type Inspection, inspectTarget, locationOf } from "../clients/entries.ts";
import { type ClientsPlan, type FoundHook, type Launch, renderLaunch, type Target } from "../clients/mod.ts";
import { shownWords } from "../../settings/mod.ts";
import { PRODUCT } from "../../base/model.ts";
import {
  error,
  type Line,
  line,
  type Problem,
  type Reclaim,
  type Section,
  section,
  warning,
} from "./report.ts";
import { command, withCommand } from "../../base/text.ts";

const NAME = "bmad";

type InspectedFile = Inspection & { readonly target: Target };

export function checkClients(plan: ClientsPlan | undefined, program: Launch, reclaim: Reclaim): Section {
  const files = plan?.targets.map((target) => ({ target, ...inspectTarget(target, plan, NAME) })) ?? [];
  const checked = files.map((file) => {
    const { client, scope, real } = file.target;
    // Where a client has two files, install writes the first.
    const written = files.find(({ target }) => target.client === client && target.scope === scope);
    const others = file.state === "foreign" ? ["uninstall", "--force"] : ["uninstall"];
    const install = installCommand(file.target, program, written === file ? [] : others);
    // The folder of a project may come from others.
    const folder = scope === "user" ? [real.slice(0, real.lastIndexOf("/"))] : [];
    const fix = command`${{ line: reclaim([...folder, real]) }}${{ line: install }}`;
    return { file, problem: problemOf(file, fix) };
  });
  const known = checked.filter(({ file }) => file.state !== "absent" || file.target.isClientInstalled);
  const hooks = (plan?.hooks ?? []).map((hook) => {
    const install = installCommand(hook.target, program, []);
    const fix = command`${{ line: reclaim([hook.target.real]) }}${{ line: install }}`;
    return { hook, problem: hookProblem(hook, fix) };
  });
  const lines = [
    ...known.map(({ file, problem }) => lineOf(file, problem)),
    ...hooks.map(({ hook: { target, words }, problem }) => {
      const text = `hook in ${target.path}: ${shownWords(words).join(" ")}`;
      return line(problem?.level ?? "ok", target.client.id, text);
    }),
  ];
  const fault = plan?.tokenFault;
  return section("clients", {
    lines: lines.length === 0 ? [line("info", "none", "no client found on this machine")] : lines,
    problems: [
      ...[...checked, ...hooks].map(({ problem }) => problem),
      // Without a usable token, a server on loopback does not start.
      fault && warning("token", fault.problem, fault.fix),
    ],
    data: { files: known.map(({ file }) => dataOf(file)), hooks: hooks.map(({ hook }) => hookData(hook)) },
  });
}

/** A hook that cannot start is silent: the client begins its sessions without it. */
function hookProblem(
  { target: { client, path }, words, program, isThere, isCurrent, version }: FoundHook,
  install: string | undefined,
): Problem | undefined {
  const fix = withCommand("Update it", install);
  const hook = `${client.title}: the hook in ${path} runs`;
  if (isThere === false) return error("client-hook", `${hook} ${program}, which does not exist`, fix);
  if (isCurrent || isThere === undefined) return undefined;
  return warning("client-hook", `${hook} ${anotherCopy(version)}: ${shownWords(words).join(" ")}`, fix);
}

function hookData({ target, words, ...found }: FoundHook): Readonly<Record<string, unknown>> {
  const { client, scope, path } = target;
  return { client: client.id, scope, path, line: shownWords(words).join(" "), ...found };
}

function problemOf({ target, ...found }: InspectedFile, install: string | undefined): Problem | undefined {
  const { client: { title }, path } = target;
  const update = withCommand("Update it", install);
  if (found.state === "absent") return undefined;
  if (found.state === "invalid") {
    const location = locationOf(target, found.at);
    const message = `${title}: cannot read ${location}: ${found.problem}`;
    return warning("client-file", message, `Correct ${location}`);
  }
  const runs = found.runs === undefined ? "no program" : renderLaunch(found.runs);
  if (found.state === "foreign") {
    const message = `${title}: the entry "${NAME}" in ${path} runs ${runs}, not this program`;
    const force = command`${{ line: install }} --force`;
    return warning("client-foreign", message, withCommand("Replace it", force));
  }
  if (found.exposure !== undefined) {
    const message = `${title}: the entry in ${path} lets a project run its own program in place of this one`;
    return error("client-exposed", `${message}: ${found.exposure}`, withCommand("Replace it", install));
  }
  if (found.isThere === false) {
    const message = `${title}: ${path} starts ${found.program}, which does not exist`;
    return error("client-program", message, update);
  }
  if (found.isOff) {
    const message = `${title}: the entry in ${path} is switched off`;
    return warning("client-off", message, `Switch it on in ${title}`);
  }
  if (found.isCurrent !== false) return undefined;
  return warning("client-other", `${title}: ${path} starts ${anotherCopy(found.version)}: ${runs}`, update);
}

function anotherCopy(version: string | undefined): string {
  return `another copy of this program${version === undefined ? "" : `, version ${version}`}`;
}

function installCommand(
  { client, path, scope, hooks }: Target,
  { command: program, args }: Launch,
  [first, ...flags]: readonly string[],
): string | undefined {
  const project = scope === "project" ? projectOf(hooks?.project ?? client.project, path) : undefined;
  const where = [...(project === undefined ? [] : ["--project", project]), ...(hooks ? ["--hooks"] : [])];
  const line = (word: string, ...rest: readonly string[]) => ({
    line: command`${{ args: shownWords([program, ...args, word, client.id, ...where, ...rest]) }}`,
  });
  return first === undefined ? line("install").line : command`${line(first, ...flags)} && ${line("install")}`;
}

function projectOf(relatives: readonly string[] = [], path: string): string {
  const relative = relatives.find((relative) => path.endsWith(`/${relative}`));
  return path.slice(0, relative === undefined ? path.lastIndexOf("/") : -relative.length - 1);
}

function lineOf(file: InspectedFile, problem: Problem | undefined): Line {
  const { target: { client, path }, state, runs, url } = file;
  if (state === "absent") {
    return line("info", client.id, withCommand("not connected", command`bmad-mcp install ${client.id}`));
  }
  const what = runs === undefined ? url && `: ${url}` : `: ${renderLaunch(runs)}`;
  return line(problem?.level ?? "ok", client.id, `${path}${what ?? ""}${versionNote(file)}`);
}

function versionNote({ state, runs, isThere, isCurrent, version }: InspectedFile): string {
  if (state !== "ours" || runs === undefined || isThere === false) return "";
  if (isCurrent) return ` (this program, ${version})`;
  return version === undefined
    ? " (another copy, unknown version)"
    : version === PRODUCT.version
    ? " (another copy, same version)"
    : ` (version ${version}; this is ${PRODUCT.version})`;
}

function dataOf({ target, runs, ...found }: InspectedFile): Section["data"] {
  const { client: { id, title }, scope, path, exists } = target;
  const { state, url, exposure, isThere, isCurrent, version, isOff } = found;
  const facts = { state, url, exposure, isThere, isCurrent, version, isOff };
  const args = runs && shownWords(runs.args);
  return { client: id, title, scope, path, exists, command: runs?.command, args, ...facts };
}
