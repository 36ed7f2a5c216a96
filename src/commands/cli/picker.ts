/** A list to choose from, on a terminal. Drawn on stderr, because stdout is for results. */
import { confirm, isCancel, multiselect } from "@clack/prompts";
import process from "node:process";

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly hint: string;
  readonly isChosen: boolean;
}

export async function pick<T>(
  message: string,
  choices: readonly Choice<T>[],
): Promise<readonly T[] | undefined> {
  const chosen = await multiselect<number>({
    message,
    options: choices.map(({ label, hint }, value) => ({ value, label, hint })),
    initialValues: choices.flatMap(({ isChosen }, at) => isChosen ? [at] : []),
    required: false,
    output: process.stderr,
  });
  return isCancel(chosen) ? undefined : chosen.map((at) => choices[at]!.value);
}

export async function ask(message: string): Promise<boolean | undefined> {
  const answer = await confirm({ message, output: process.stderr });
  return isCancel(answer) ? undefined : answer;
}
