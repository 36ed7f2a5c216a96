/** How messages and headings name a story. */
import { baseName } from "../../../content/tree/mod.ts";
import type { Story } from "../formats/mod.ts";

/** Not a version: `Story 1.2`, `feat(1-2): …`, `1-2-sign-in`, `spec-shop/2`, `[1.2] …`. */
export function isNamedIn(text: string, story: Story): boolean {
  const start = text.slice(0, 2_000).toLowerCase();
  const stems = [story.file, story.plan].map((path) =>
    path && baseName(path).replace(/(?:-plan)?\.md$/i, "")
  );
  const names = [story.key, story.ref, ...stems].filter((name) => name !== undefined && /\p{L}/u.test(name));
  const [number] = /^\d{1,4}[.-]\d{1,4}[a-z]?$/.exec(story.ref.toLowerCase()) ?? [];
  const numbers = number === undefined ? [] : [number.replace("-", "."), number.replace(".", "-")];
  const spelled = numbers.flatMap((one) => [
    `story ${one}`,
    `story-${one}`,
    `story #${one}`,
    `(${one})`,
    `[${one}]`,
  ]);
  return [...names, ...spelled].some((name) => {
    const at = start.indexOf(name!.toLowerCase());
    return at >= 0 && !/^[.-]?\d/.test(start.slice(at + name!.length));
  });
}
