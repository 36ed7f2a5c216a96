/**
 * A delivery contract as models ask for it: synonyms, lists as JSON text, a text in the place of an object.
 */
import type { Artefact, Choice, Question, Runs } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import { type Args, flagArg, listArg, longTextArg, textArg, textsArg } from "./tool.ts";

type DeliveryRequest = Parameters<Runs["deliver"]>[0];

const MOST_LETTERS = 2_000;

/** What a call asks for. */
export function deliveryOf(args: Args): DeliveryRequest {
  return {
    from: team(args, "from_team", "from"),
    to: team(args, "to_team", "to"),
    artefacts: fieldsIn(args, "artefacts", "name", "artifacts").map(artefactOf),
    questions: fieldsIn(args, "questions", "question").map(questionOf),
    decisions: fieldsIn(args, "decisions", "decision").map(choiceOf),
    rejected: textsArg(args, MOST_LETTERS, "rejected"),
    constraints: textsArg(args, MOST_LETTERS, "constraints"),
    risks: textsArg(args, MOST_LETTERS, "risks"),
    signedBy: textArg(args, "signed_by", "signedBy"),
  };
}

function team(args: Args, ...names: readonly [string, string]): string {
  return textArg(args, ...names) ??
    fail({ code: "invalid-input", field: names[0], problem: "name the team", hint: "Such as team-vision" });
}

/** The objects of a list; a text alone is the first field of one. */
function fieldsIn(args: Args, field: string, first: string, ...synonyms: readonly string[]): readonly Args[] {
  return listArg(args, field, ...synonyms).map((item) => {
    const fields = typeof item === "object" && item !== null && !Array.isArray(item)
      ? item as Args
      : { [first]: item };
    if (fields[first] === undefined && fields["path"] === undefined) {
      fail({ code: "invalid-input", field, problem: `one of them has no ${first}` });
    }
    return fields;
  });
}

function text(fields: Args, ...names: readonly string[]): string | undefined {
  return longTextArg(fields, MOST_LETTERS, ...names);
}

function artefactOf(fields: Args): Artefact {
  const name = text(fields, "name", "title", "path")!;
  // Whoever gives nothing but a path means both.
  const path = text(fields, "path", "file") ?? (/^[^\s]+[/.][^\s]+$/.test(name) ? name : undefined);
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
