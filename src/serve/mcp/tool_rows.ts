/**
 * Tools as rows: the parameters of one are a table, from which its schema and its arguments follow.
 */
import type { App, Report } from "../../app.ts";
import { type ArgsOf, type Params, text } from "../../operations/mod.ts";
import { reportAnswer } from "./answers.ts";
import { correcting, readParams, schemaOf } from "./params.ts";
import type { Asker } from "./question.ts";
import type { Answer } from "./reply.ts";
import type { Args, Tool } from "./tool.ts";

interface ToolRow<P extends Params>
  extends Pick<Tool, "name" | "title" | "annotations" | "searchHint" | "runsOnce" | "required"> {
  readonly description: string;
  readonly params: P;
  /** `given` is the call as it was made, for what shapes an answer. */
  run(app: App, args: ArgsOf<P>, given: Args, asker: Asker): Promise<Answer | Report>;
}

export function tool<const P extends Params>({ description, params, run, ...row }: ToolRow<P>): Tool {
  const required = row.required ?? Object.keys(params).filter((key) => params[key]!.isRequired);
  return {
    ...row,
    describe: () => description,
    parameters: Object.fromEntries(
      Object.entries(params).filter(([, { forModel }]) => forModel !== "")
        .map(([key, param]) => [key, schemaOf(param)]),
    ),
    ...(required.length > 0 && { required }),
    run: (app, given, asker) =>
      correcting(params, given, { tool: row.name }, async () => {
        const answer = await run(app, readParams(params, given), given, asker);
        return "data" in answer ? reportAnswer(answer, given) : answer;
      }),
  };
}

/** The parameter of every tool that takes items or files from one source. */
export const origin = text("Only this source, such as project or package.", { names: ["source"] });
