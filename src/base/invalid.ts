/** A value that was refused while its caller still branches on it: an outcome, not a failure. */
export class Invalid {
  /** Half a sentence: `expected one of latest, v4, none`. */
  constructor(readonly expected: string) {}
}
