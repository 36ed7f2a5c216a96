/** Ticks a story's task, or takes the tick away: one sign changes. */
import { joinLines, type Report } from "../../../base/report.ts";
import { chooseFrom, failMissing } from "../../../base/errors.ts";
import { shorten } from "../../../base/text.ts";
import { LIMITS } from "../../limits.ts";
import { findStory, identityOf } from "../board/mod.ts";
import { type Box, EditedText, isTask, readStoryText } from "../formats/mod.ts";
import { holderOf, nameOfOwner, refuseHeld } from "./claims.ts";
import { textAt } from "./finding.ts";
import type { MarkRequest } from "./mark.ts";
import { refuseForm } from "./text_lines.ts";
import { changedFiles, refuse, refuseUnwritten, type WriteContext } from "./write_context.ts";

export interface TickRequest extends Pick<MarkRequest, "story" | "status" | "by" | "isForced"> {
  /** Its number, its words as shown, or both as `2: Build it`, which names no other one even if the file changes. */
  readonly task: string;
}

/** As boxes are read. */
const SIGN = /^([ \t]*(?:>[ \t]?)?(?:[-*+]|\d{1,4}[.)])[ \t]+\[)[ xX](?=\])/;

export async function tick(
  world: WriteContext & { clean(text: string): string },
  { story: name, task, status, by, isForced = false }: TickRequest,
): Promise<Report> {
  const { files, board, signal, clean } = world;
  const found = findStory(board, name);
  const { story, epic } = found;
  const own = identityOf(epic, story);
  const isWanted = chooseFrom(["done", "open"], "status of a task", status) === "done";
  const shown = ({ text }: Box) => shorten(clean(text), LIMITS.details.taskLength);
  return await files.exclusively(() => {
    const holder = holderOf(world, found);
    if (holder !== undefined && holder.by !== nameOfOwner(by)) {
      if (!isForced) refuseHeld(`change the tasks of ${own}`, holder);
      world.demandForce();
    }
    const all = [story.file, story.plan].flatMap((path) => {
      const text = path === undefined ? "" : textAt(files, path);
      return readStoryText(path ?? "", text).allBoxes.filter(isTask).map((box) => ({
        box,
        path: path!,
        text,
      }));
    });
    const what = `tick a task of ${own}`;
    if (story.file === undefined && story.plan === undefined) refuseUnwritten(what, story);
    if (all.length === 0) refuse(what, "its file has none");
    const named = ({ box }: typeof all[number], words: string) => [box.text, shown(box)].includes(words);
    const [, number = "", rest = ""] = /^(\d+)(?:: *(.*))?$/s.exec(task.trim()) ?? [];
    const numbered = all[Number(number) - 1];
    const isThat = numbered !== undefined && (number === task.trim() || named(numbered, rest));
    const called = all.filter((one) => named(one, task.trim()));
    const one = (isThat ? numbered : undefined) ??
      called.find(({ box }) => box.isTicked !== isWanted) ?? called[0] ??
      failMissing("task", task, { known: all.slice(0, 20).map(({ box }) => shown(box)) });
    const { path, text, box } = one;
    if (box.isTicked !== isWanted) files.replace(path, withTick(path, text, box, isWanted), text);
    const others = all.filter(({ box }) => box !== one.box && box.isTicked).length;
    const words = `"${shown(box)}" is ${isWanted ? "ticked" : "open"}: ${
      others + (isWanted ? 1 : 0)
    } of ${all.length} tasks`;
    return {
      text: joinLines(`${own}: ${words}`, changedFiles([path])),
      data: {
        story: own,
        changes: [{ key: own, from: isWanted ? "open" : "done", to: isWanted ? "done" : "open" }],
        files: [path],
        notes: [],
        task,
      },
    };
  }, signal);
}

function withTick(path: string, text: string, { line }: Box, isTicked: boolean): string {
  const edited = new EditedText(text);
  const row = edited.lines[line - 1]!;
  row.text = row.text.replace(SIGN, `$1${isTicked ? "x" : " "}`);
  const changed = edited.toString();
  const boxesOf = (given: string) => readStoryText(path, given).allBoxes;
  const isMeant = JSON.stringify(boxesOf(changed)) ===
    JSON.stringify(boxesOf(text).map((one) => one.line === line ? { ...one, isTicked } : one));
  return isMeant
    ? changed
    : refuseForm(path, "its tasks are written in a way that cannot be ticked here", line);
}
