/** Which failure does a call end with? */
import { BmadError, type Failure } from "../../src/base/errors.ts";

export function failureOf(fn: () => unknown): Failure {
  try {
    fn();
  } catch (error) {
    if (error instanceof BmadError) return error.failure;
    throw error;
  }
  throw new Error("it did not fail");
}
