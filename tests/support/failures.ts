/**
 * Which failure does a call end with?
 */
import { BmadError, type Failure } from "../../src/base/errors.ts";

/** The failure of a call that must fail. */
export function failureOf(fn: () => unknown): Failure {
  try {
    fn();
  } catch (error) {
    if (error instanceof BmadError) return error.failure;
    throw error;
  }
  throw new Error("it did not fail");
}
