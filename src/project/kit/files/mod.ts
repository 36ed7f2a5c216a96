/**
 * What a project remembers and works on, in the files of the project-memory kit.
 *
 * Reads its context, the learnings of its agents, past failures, sessions and runs; queues tasks, writes delivery
 * contracts, and runs the completion contract if the user allows it. Everything stays inside the project's folder, and
 * nothing is cached between requests.
 */
import type { ProjectKit } from "../../../settings/plan/mod.ts";
import { answerTask, type TaskAnswer } from "./answer.ts";
import { asText, asValues, parseToml, parseYaml, type Values } from "../../../content/parse.ts";
import { type NamedAgent, readAgents, readContext, withRemembered, withServed } from "./context.ts";
import { reportContext } from "./context_report.ts";
import { type ContractRequest, verifyContract } from "./contract.ts";
import { writeContract } from "./delivery.ts";
import type { DeliveryRequest } from "./delivery_document.ts";
import { type EndedRun, runLimited, type RunRequest, type RunTools } from "./limited_run.ts";
import { type LearningsRequest, type Ranker, reportLearnings } from "./learnings.ts";
import { type MuseumRequest, reportMuseum } from "./museum.ts";
import { type FileNote, readNotes } from "./notes.ts";
import { type Cleaner, findFile, openFolder, type ProjectFolder } from "./project_folder.ts";
import { type FindRemembered, type ReadRemembered, readRemembered } from "./remembered.ts";
import { spawn, type TaskRequest } from "./queue.ts";
import type { Report } from "../../../base/report.ts";
import type { StatusRequest } from "./sessions.ts";
import { reportRun, reportSessions } from "./sessions_report.ts";
import { type RunUpdate, updateRun } from "./update.ts";

export type { ContractRequest } from "./contract.ts";
export type { ScriptResult } from "./script.ts";
export type { EndedRun, RunRequest, RunTools } from "./limited_run.ts";
export type { Artefact, Choice, DeliveryRequest, Question } from "./delivery_document.ts";
export type { Learning, LearningsRequest, Ranker } from "./learnings.ts";
export type { MuseumRequest } from "./museum.ts";
export type { FileNote } from "./notes.ts";
export type { NamedAgent } from "./context.ts";
export type { Cleaner } from "./project_folder.ts";
export type { FindRemembered, Remembered } from "./remembered.ts";
export type { TaskAnswer } from "./answer.ts";
export type { TaskRequest } from "./queue.ts";
export type { RunUpdate } from "./update.ts";
export type { Report } from "../../../base/report.ts";
export type { StatusRequest } from "./sessions.ts";

/** What a project remembers and works on. */
export interface KitFiles {
  /** What the project is: everything in short, or one section in full. */
  context(section?: string): Promise<Report>;
  /** The agents that the project's own files list. */
  agents(): readonly NamedAgent[];
  learnings(request: LearningsRequest): Promise<Report>;
  failures(request: MuseumRequest): Promise<Report>;
  /** The sessions and their runs, all or those in one state. */
  sessions(status?: string): Report;
  status(request: StatusRequest): Report;
  /** Starts, notes, finishes or resumes a run. */
  update(request: RunUpdate): Promise<Report>;
  spawn(request: TaskRequest): Promise<Report>;
  answer(request: TaskAnswer): Promise<Report>;
  deliver(request: DeliveryRequest): Report;
  verify(request: ContractRequest): Promise<Report>;
  /** Runs a command within the limits of the contract, if the user allows it. */
  run(request: RunRequest): Promise<EndedRun>;
}

/** What `openKitFiles` needs from outside. */
export interface KitFilesTools extends RunTools {
  readonly clean: Cleaner;
  readonly rank: Ranker;
  readonly remembered: FindRemembered;
  /** The agents that the project's own BMAD serves, whatever its generation: name, displayName, title, icon, role. */
  readonly served: () => Promise<readonly Readonly<Record<string, string>>[]>;
}

/** The names of a project and its user, if the project's files give them. */
export function namesIn(kit: ProjectKit, clean: Cleaner): Record<"project" | "user", string | undefined> {
  const { project, user } = readContext(openFolder(kit, clean));
  return { project: asText(project["name"]), user: asText(user["name"]) };
}

/** What the files of a project say. They are read on every call. */
export function openNotes(kit: ProjectKit, clean: Cleaner): () => readonly FileNote[] {
  return () => readNotes(openFolder(kit, clean));
}

/** Where BMAD's own configuration says in which language documents are written. */
const LANGUAGE_FILES = ["config.user.toml", "config.toml", "bmm/config.yaml", "core/config.yaml"];
const LANGUAGE_KEY = "document_output_language";

/** The language of the project's documents: as the kit's settings have it, else as BMAD's configuration does. */
function languageOf(project: ProjectFolder): string | undefined {
  const { document_language: documents, language } = readContext(project).user;
  const configured = project.bases.flatMap((base) => LANGUAGE_FILES.map((name) => `${base}/${name}`)).map(
    (path) => {
      const text = findFile(project, [path])?.text ?? "";
      const values: Values = path.endsWith(".toml") ? parseToml(text).value : parseYaml(text).value;
      const places = [values, ...Object.values(values)].map((place) => asText(asValues(place)[LANGUAGE_KEY]));
      return places.find((one) => one !== undefined);
    },
  );
  return asText(documents) ?? asText(language) ?? configured.find((one) => one !== undefined);
}

/** Opens a project's memory and runs. Nothing is read yet. */
export function openKitFiles(kit: ProjectKit, tools: KitFilesTools): KitFiles {
  const { clean, rank, signal, person, changing } = tools;
  const change = () => ({ now: tools.now(), signal, person, changing });
  const read: ReadRemembered = (filter) => readRemembered(tools.remembered, filter, tools);
  const project = openFolder(kit, clean);
  return {
    context: async (section = "all") => {
      const parts = await Promise.all(
        (["shared-context", "decisions"] as const).map((type) => read({ type })),
      );
      const context = withServed(readContext(project), await tools.served());
      return reportContext(withRemembered(context, parts), section);
    },
    agents: () => readAgents(project),
    learnings: (request) => reportLearnings(project, request, rank, read),
    failures: (request) => reportMuseum(project, request, read),
    sessions: (status) => reportSessions(project, status),
    status: (request) => reportRun(project, request),
    update: (request) => updateRun(project, request, change()),
    spawn: (request) => spawn(project, request, change()),
    answer: (request) => answerTask(project, request, change()),
    deliver: (request) => writeContract(project, request, { ...change(), language: languageOf(project) }),
    verify: (request) => verifyContract(project, request, tools),
    run: (request) => runLimited(project, request, tools),
  };
}
