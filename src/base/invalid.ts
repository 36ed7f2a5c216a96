/** A value that was refused while its caller still branches on it: an outcome, not a failure. */
export class Invalid {
  constructor(readonly expected: string) {}
}
