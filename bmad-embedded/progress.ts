/** Says on stderr what a build is doing. Never on stdout: when a client starts the server, that is the protocol's. */

/** Prints one line for the person who waits. */
export function printProgress(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}
