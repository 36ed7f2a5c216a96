/**
 * The lists of a delivery contract as models write them: synonyms, JSON text, a text instead of an object.
 */
import type { Artefact, Choice, KitFiles, Question } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import { flagArg, listArg, longTextArg, textArg } from "./args.ts";
import { isFields } from "./request_checks.ts";
import type { Args } from "./tool.ts";

type DeliveryRequest = Parameters<KitFiles["deliver"]>[0];

const MAX_CHARACTERS = 2_000;

export function readParts(args: Args): Pick<DeliveryRequest, "artefacts" | "questions" | "decisions"> {
  return {
    artefacts: fieldsIn(args, "artefacts", "name").map(artefactOf),
    questions: fieldsIn(args, "questions", "question").map(questionOf),
    decisions: fieldsIn(args, "decisions", "decision").map(choiceOf),
  };
}

/** The objects of a list; a text alone is the first field of one. */
function fieldsIn(args: Args, field: string, first: string): readonly Args[] {
  return listArg(args, field).map((item) => {
    const fields = isFields(item) ? item : { [first]: item };
    if (fields[first] === undefined && fields["path"] === undefined) {
      fail({ code: "invalid-input", field, problem: `every item needs a ${first}` });
    }
    return fields;
  });
}

function text(fields: Args, ...names: readonly string[]): string | undefined {
  return longTextArg(fields, MAX_CHARACTERS, ...names);
}

function artefactOf(fields: Args): Artefact {
  const name = text(fields, "name", "title", "path")!;
  // A name that looks like a path is both.
  const path = text(fields, "path", "file") ??
    (/^\S+$/.test(name) && /(?!^)[/.](?!$)/.test(name) ? name : undefined);
  const isRequired = !flagArg(fields, "optional") && textArg(fields, "required")?.toLowerCase() !== "false";
  return {
    name,
    path,
    acceptance: text(fields, "acceptance", "acceptance_criterion", "criteria"),
    isRequired,
  };
}

function questionOf(fields: Args): Question {
  const word = text(fields, "criticality", "severity", "priority") ?? "";
  const criticality = /crit|🔴|high|block/i.test(word)
    ? "critical"
    : /min|🟢|low|nice/i.test(word)
    ? "minor"
    : "important";
  return { question: text(fields, "question")!, criticality, owner: text(fields, "owner", "responsible") };
}

function choiceOf(fields: Args): Choice {
  return {
    decision: text(fields, "decision")!,
    reason: text(fields, "reason", "justification", "rationale"),
    impact: text(fields, "impact"),
  };
}
