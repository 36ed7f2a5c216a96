/**
 * How does a test get a program that it can run at once?
 *
 * Tests run side by side in one process. While a file is open for writing, any child that another test starts inherits it
 * for a moment, and Linux refuses to run a file that somebody has open for writing ("Text file busy"). So another process
 * writes what is run.
 */

const COPY = 'cp "$1" "$1.new" && chmod 755 "$1.new" && mv "$1.new" "$1"';

export function writeProgram(path: string, text: string): void {
  Deno.writeTextFileSync(path, text);
  makeProgram(path);
}

export function makeProgram(path: string): void {
  if (Deno.build.os === "windows") return;
  const { success } = new Deno.Command("sh", { args: ["-c", COPY, "sh", path] }).outputSync();
  if (!success) throw new Error(`Cannot make ${path} a program`);
}
