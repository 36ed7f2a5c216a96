/**
 * When has somebody gone?
 *
 * A client may leave at any moment, also before we look: an event of a signal that has fired already never comes. So
 * whoever counts a client and takes it back asks here. What is done then is left to them.
 */

/** Calls once when a signal fires, at once if it has fired already. Returns how to call that off. */
export function whenEnded(signal: AbortSignal, call: () => void): () => void {
  const ended = () => call();
  if (signal.aborted) ended();
  else signal.addEventListener("abort", ended, { once: true });
  return () => signal.removeEventListener("abort", ended);
}
