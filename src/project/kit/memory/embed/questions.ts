/**
 * All questions lie in a similar direction, and a text that lies there too seems close to every one of them. Part of
 * what they have in common is taken away from questions only, so that stored vectors stay valid.
 */

/** Anything from 0.3 to 0.6 measures about the same; more finds the right text less often in a large memory. */
const TAKEN_AWAY = 0.5;

export function commonOf(questions: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const sum = new Float32Array(questions[0]!.length);
  for (const vector of questions) for (const [at, number] of vector.entries()) sum[at]! += number;
  return sum.map((number) => number / questions.length);
}

export function withoutCommon(question: Float32Array, common: Float32Array): Float32Array<ArrayBuffer> {
  const rest = Float32Array.from(question, (number, at) => number - TAKEN_AWAY * common[at]!);
  const length = Math.hypot(...rest);
  return rest.map((number) => number / length);
}
