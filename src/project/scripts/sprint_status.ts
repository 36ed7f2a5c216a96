import { recover } from "../../base/absence.ts";
import { isValues, parseJson, type Values } from "../../base/values.ts";
import { localTime } from "../../base/time.ts";
import {
  ACTION_STATUSES,
  ITEMS,
  parseStamp,
  SECTION,
  type SprintFile,
  type SprintItem,
  sprintTime,
} from "../work/formats/mod.ts";
import type { Ledger } from "../work/ledger/mod.ts";
import type { Argument, Given } from "./options.ts";
import {
  openTarget,
  reply,
  type Script,
  ScriptError,
  type ScriptResult,
  type ScriptWorld,
  stop,
} from "./script.ts";
import { pythonRepr, pythonText, quote, truthyText } from "./python.ts";
import { editLedger, isDate, LEDGER, loadLedger, sprintSlug } from "./sprint.ts";

const FILE: Argument = { names: ["--file"], help: "The sprint's status file", isRequired: true };
const EPIC: Argument = { names: ["--epic"], isInteger: true, help: "The epic's number" };

const VERDICTS = ["accepted", "accepted-with-open-items", "rejected"];

export const sprintStatus: Script = {
  name: "sprint_status.py",
  usage: {
    about: "Finds the epic of a retrospective and records its outcome in sprint-status.yaml; prints JSON",
    commands: {
      "detect-epic": {
        about: "Find the epic to look back on",
        run: detectEpic,
        example: "--file FILE",
        args: [FILE, EPIC],
      },
      update: {
        about: "Record the outcome of a retrospective",
        run: updateLocked,
        example: "--file FILE --epic 1 --set-retro-done --verdict accepted",
        args: [
          FILE,
          { ...EPIC, isRequired: true },
          { names: ["--set-retro-done"], takes: "flag", help: "Mark the retrospective as done" },
          { names: ["--add-action"], help: "Action items to add, as JSON", isMultiline: true },
          {
            names: ["--set-action-status"],
            help: "New statuses of action items, as JSON",
            isMultiline: true,
          },
          { names: ["--ref"], help: "The document of the retrospective", isRecorded: true },
          { names: ["--verdict"], help: "accepted, accepted-with-open-items or rejected" },
          { names: ["--date"], help: "The date, MM-DD-YYYY HH:MM", isSprintTime: "only" },
        ],
      },
    },
  },
  isWriter: (values) => values.command === "update",
  needs: (values) =>
    values.has("set-retro-done")
      ? { right: "force", instead: "leave out --set-retro-done and mark the retrospective, which checks it" }
      : undefined,
  report: (error, status) => reply({ ok: false, error }, status),
};

/** Whatever ends it early does so before anything is written. */
async function updateLocked(values: Given, world: ScriptWorld): Promise<ScriptResult> {
  return await recover(ScriptError, async () => {
    openTarget(world.files, world.files.pathOf("file", values.one("file")!), LEDGER);
    return await world.files.exclusively(() => update(values, world), world.signal);
  }, ({ message }) => reply({ ok: false, error: message, restored: true }, 1));
}

function readEpic(values: Given): number | undefined {
  const given = values.one("epic");
  const epic = given === undefined ? undefined : Number(given);
  if (epic !== undefined && epic < 1) stop(`invalid --epic ${epic} (expected a positive integer)`);
  return epic;
}

function load(values: Given, world: ScriptWorld): SprintFile {
  const given = values.one("file")!;
  const { file, problem } = loadLedger(world, given);
  if (file === undefined) return stop(problem ?? `No such file or directory: ${quote(given)}`);
  if (file.faults.has("not-a-map")) return stop("root document is not a mapping");
  return file.faults.has("section-not-a-map") ? stop(`${SECTION} is not a mapping`) : file;
}

function retroStatus({ rows }: SprintFile, key: string): unknown {
  const { value = null, isQuoted } = rows.find((row) => row.key === key) ?? {};
  const isText = typeof value === "string" && !isDate(value, isQuoted);
  return value === null || isText ? value : stop(`${key} status must be a string or null`);
}

function detectEpic(values: Given, world: ScriptWorld): ScriptResult {
  const file = load(values, world);
  const stories = file.rows.flatMap(({ key, known, value }) =>
    known?.kind === "story" && known.isStrict
      ? [{ key, epic: Number(known.epic), isDone: value === "done" }]
      : []
  );
  const done = stories.filter(({ isDone }) => isDone);
  const highest = done.reduce((most, { epic }) => Math.max(most, epic), 0);
  const epic = readEpic(values) ?? (done.length > 0 ? highest : undefined);
  const own = stories.filter((story) => story.epic === epic);
  const retro_key = epic === undefined ? null : `epic-${epic}-retrospective`;
  return reply({
    epic,
    story_count: own.length,
    done_stories: done.map(({ key }) => key),
    pending_stories: own.filter(({ isDone }) => !isDone).map(({ key }) => key),
    retro_key,
    retro_status: retro_key === null ? null : retroStatus(file, retro_key),
  });
}

async function update(values: Given, world: ScriptWorld): Promise<ScriptResult> {
  const epic = readEpic(values)!;
  const last_updated = readDate(values, world);
  const verdict = values.one("verdict") ?? null;
  if (verdict !== null && !VERDICTS.includes(verdict)) {
    stop(`invalid --verdict ${quote(verdict)} (allowed: ${VERDICTS.join(", ")})`);
  }
  const added = readList(values, "add-action", "item", checkAction);
  const selectors = readList(values, "set-action-status", "entry", checkSelector);
  const file = load(values, world);
  if (file.faults.has("empty")) return stop("empty or invalid YAML document");

  const retroKey = `epic-${epic}-retrospective`;
  const isRetro = values.has("set-retro-done");
  const hasRetro = isRetro && file.rows.some(({ key }) => key === retroKey);
  const before = hasRetro ? retroStatus(file, retroKey) : null;
  if (file.faults.has("items-not-a-list")) stop(`${ITEMS} in file is not a list`);
  const targets = findTargets(selectors, file.items);
  const path = world.files.pathOf("file", values.one("file")!);
  const edit = async (ledger: Ledger) => {
    if (hasRetro) ledger.setIn(SECTION, retroKey, "done");
    ledger.setItems(ITEMS, "status", targets);
    const items = added.map(async (item, at) => {
      const action = item["action"] as string;
      const id = truthyText(item["id"]) ??
        `epic-${epic}-retro-item-${file.items.length + at + 1}-${await sprintSlug(action, 40)}`;
      const ref = truthyText(item["ref"]) ?? values.one("ref") ?? "";
      return [
        ["id", { quoted: id }],
        ["epic", epic],
        ["action", { quoted: action }],
        ["owner", { quoted: item["owner"] === undefined ? "" : pythonText(item["owner"]) }],
        ["status", "open"],
        ["ref", { quoted: ref }],
      ] as const;
    });
    ledger.addItems(ITEMS, await Promise.all(items));
    ledger.set("last_updated", last_updated);
    return ledger.toText();
  };
  await editLedger(world, path, file.text, edit, (reason) => stop(`write failed: ${reason}`));
  return reply({
    ok: true,
    retro_key_found: isRetro ? hasRetro : null,
    retro_status_before: before,
    retro_status_after: hasRetro ? "done" : null,
    action_items_added: added.length,
    action_items_updated: targets.size,
    last_updated,
    verdict,
  });
}

function readDate(values: Given, world: ScriptWorld): string {
  const given = values.one("date");
  if (given === undefined) return sprintTime(localTime(world.clock.now()));
  return parseStamp(given)?.text ??
    stop(`invalid --date ${quote(given)} (expected "MM-DD-YYYY HH:MM")`);
}

function readList(values: Given, option: string, called: string, check: (item: Values) => void) {
  const given = values.one(option);
  if (!given) return [];
  const list = parseJson(given);
  if (list === undefined) return stop(`invalid --${option} JSON: it cannot be parsed`);
  if (!Array.isArray(list)) return stop(`--${option} must be a JSON array`);
  return (list as readonly unknown[]).map((item) => {
    if (!isValues(item)) return stop(`each --${option} ${called} must be an object`);
    check(item);
    return item;
  });
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function checkAction({ action }: Values): void {
  if (!isFilled(action)) stop("each --add-action item must have a non-empty string action");
}

const SELECTOR = "each --set-action-status entry must have a non-empty string id, " +
  "or an integer epic and a non-empty string action";

function checkSelector({ status, id, epic, action }: Values): void {
  if (typeof status !== "string" || !ACTION_STATUSES.includes(status)) {
    const allowed = `(allowed: ${ACTION_STATUSES.join(", ")})`;
    stop(`invalid --set-action-status status ${pythonRepr(status)} ${allowed}`);
  }
  if ((id ?? null) === null) {
    if (!Number.isInteger(epic) || !isFilled(action)) stop(SELECTOR);
  } else if (!isFilled(id)) stop("each --set-action-status id must be a non-empty string");
}

function findTargets(selectors: readonly Values[], items: readonly SprintItem[]) {
  const targets = new Map<number, { readonly label: string; readonly status: string }>();
  const places = indexItems(items);
  for (const selector of selectors) {
    const id = selector["id"] ?? null;
    const label = id === null
      ? `epic=${pythonRepr(selector["epic"])} action=${pythonRepr(selector["action"])}`
      : `id=${pythonRepr(id)}`;
    const found = places.get(itemName(selector, id === null ? ["epic", "action"] : ["id"])) ?? [];
    const [at] = found;
    if (at === undefined) return stop(`no action item matches ${label}`);
    if (found.length > 1) stop(`ambiguous --set-action-status selector ${label}: ${found.length} matches`);
    const earlier = targets.get(at)?.label;
    if (earlier !== undefined) {
      const both = `${label} and ${earlier}`;
      stop(`duplicate --set-action-status targets: ${both} resolve to the same action item`);
    }
    targets.set(at, { label, status: selector["status"] as string });
  }
  return new Map(targets.entries().map(([at, { status }]) => [at, status]));
}

function indexItems(items: readonly SprintItem[]): ReadonlyMap<string | undefined, readonly number[]> {
  const places = new Map<string | undefined, number[]>();
  for (const [at, { fields }] of items.entries()) {
    for (const keys of [["id"], ["epic", "action"]]) {
      const name = fields && itemName(fields, keys);
      if (name !== undefined) places.getOrInsertComputed(name, () => []).push(at);
    }
  }
  return places;
}

/** Undefined unless each value is a text or a whole number. */
function itemName(item: Values, keys: readonly string[]): string | undefined {
  const values = keys.map((key) => item[key]);
  const isNamed = values.every((value) => typeof value === "string" || Number.isInteger(value));
  return isNamed ? values.map((value) => pythonRepr(value)).join(" ") : undefined;
}
