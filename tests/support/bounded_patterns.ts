/**
 * Patterns that would take more than linear time for a long text, or that the published checker takes for such, and why
 * no text makes them slow.
 */
export const BOUNDED: Readonly<Record<string, string>> = {
  "/(?:\\s+`[^`\\s]+`)+$/": "the last 500 characters of a note",
  [String.raw`/\s*[([](?:(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})|(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}))[)\]]\s*$/`]:
    "the last 30 characters of a text",
  [String.raw`/^(.*)[\\/]WinGet[\\/]Packages[\\/]([^\\/_]+)[^\\/]*(?:[\\/].*)?[\\/]([^\\/]+\.exe)$/i`]:
    "the path of the running program",
  [String.raw`/\$\{(\w+):-([^}]*)\}/g`]: "a path in our own table of clients",
  [String.raw`/^(.*)\/([^/]*)\*(\/.*)$/`]: "a path in our own table of clients",
};

/** Patterns that the checker takes for slow, and why no text is: it counts each `{0,200}`, for example, as a loop. */
export const MISJUDGED: Readonly<Record<string, string>> = {
  [
    String
      .raw`/(?<![\w.-])([\w.-]+)(=)(?!=)("[^"\n]*"|'[^'\n]*'|[^;"'\n]{1,200}(?=;\s{0,4}[\w .-]{1,40}=)|[^\s;,&"']+)/g`
  ]: "at most 200 × 44 steps from each place",
  [
    String
      .raw`/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\w+/=:,.()\s\\-]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?![\w+/=:,.()\s\\-]))/g`
  ]: "at most 50 steps from each place",
  [String.raw`/(?<![. ])[. ]+$/`]: "each run is entered at its first character only",
  [String.raw`/(?<!#)#+$/`]: "each run is entered at its first character only",
  [
    String
      .raw`/#\[(?:cfg\(test\)|(?:\w+::)?test)|^\s{0,20}(?:test|unittest)\b[^\n]{0,200}\{|>>> |\bimport\.meta\.vitest\b/m`
  ]: "at most 220 steps from each place",
  [String.raw`/^(?:\W*)(?:status|statut|estado|stato|статус|状态|ステータス|상태)\W*$/iu`]:
    "the first 200 characters of a heading",
  [String.raw`/^[ \t]{0,20}\[[^\]\n]{1,200}\.(?:env|headers|http_headers)\][^[]*/gm`]:
    "at most 220 steps from each place",
  [String.raw`/(?<=[:=]\s{0,20})(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')/g`]:
    "at most 20 steps back from each place",
  [String.raw`/\]\(([\w.@+-]{1,100}\.(?:md|ya?ml|csv|xml))(?:#[^)\n]{0,100})?\)/g`]:
    "at most 200 steps from each place",
  [String.raw`/(?<=^|\/)(?:\*\*+\/)+/g`]:
    "a line of limited length, and each run is entered at its first character only",
  [String.raw`/^"(?:[^"\\]|\\["\\bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*"$/`]:
    "each of its alternatives begins with another character",
};
