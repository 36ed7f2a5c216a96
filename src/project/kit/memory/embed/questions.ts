/**
 * What a question asks for, apart from being a question.
 *
 * All questions lie in a similar direction, and a text that lies there too seems close to every one of them. Part of what
 * questions have in common is taken away, so that such a text is not taken for an answer. Of vectors of texts nothing is
 * taken away: those that were stored stay valid.
 */

/**
 * How much of it. Anything from 0.3 to 0.6 measures about the same. With all of it, more questions are answered, but in a
 * large memory the right text is less often among the first.
 */
const TAKEN_AWAY = 0.5;

/** The mean of the vectors of some questions. */
export function commonOf(questions: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const sum = new Float32Array(questions[0]!.length);
  for (const vector of questions) for (const [at, number] of vector.entries()) sum[at]! += number;
  return sum.map((number) => number / questions.length);
}

/** The direction of a question without what it has in common with others. */
export function withoutCommon(question: Float32Array, common: Float32Array): Float32Array<ArrayBuffer> {
  const rest = Float32Array.from(question, (number, at) => number - TAKEN_AWAY * common[at]!);
  const length = Math.hypot(...rest);
  return rest.map((number) => number / length);
}
