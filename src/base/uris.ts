/** A scheme such as `bmad://`, then a path whose special characters are percent-encoded. */
import { attempt } from "./absence.ts";
import { failField } from "./errors.ts";
import { Invalid } from "./invalid.ts";

/** Not a single letter, which is a drive, nor the `file:` that marks paths in customization files. */
const SCHEME = /^\s*(?!file:(?!\/\/))[a-z][a-z\d+.-]+:/i;

export function isUri(text: string): boolean {
  return SCHEME.test(text);
}

export function pathOfUri(uri: string, scheme: string): string | Invalid {
  if (!uri.startsWith(scheme)) return new Invalid(`expected it to begin with ${scheme}`);
  if (uri === scheme) return new Invalid(`expected a path after ${scheme}`);
  return attempt(() => decodeURIComponent(uri.slice(scheme.length))) ??
    new Invalid("expected every % to begin an encoded character, such as %20");
}

export function checkUri(uri: string, scheme: string, example: string): void {
  const path = pathOfUri(uri, scheme);
  if (!(path instanceof Invalid)) return;
  failField(`URI "${uri}"`, `${path.expected}, as in ${example}`);
}
