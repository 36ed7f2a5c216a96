/** Which names mean something else on some system, and which look odd and are safe? Both are paths in a folder. */

export const UNSAFE_PATHS: readonly string[] = [
  ...["", ".", "..", "../x", "a/../../x", "a/./x", "/etc/x", "a//x", "a/"],
  ...["\\x", "a\\..\\x", "C:/x", "c:x", "a.md:stream", "\\\\server\\share"],
  ..."con CON prn.txt Aux/x.md a/NUL.md com1 COM9.tar.gz lpt1 LPT5. com¹ lpt².md COM³".split(" "),
  ...["nul .md", "CONIN$", "conout$.md"],
  ...["a.", "a.md ", "dir /x", "dir./x", "..."],
  ...["a<b", "a>b", 'a"b', "a|b", "what?.md", "*.md"],
  ...["a\0b", "a\nb", "a\rb", "a\tb", "a\x1b[2J", "a\x7f", "a\x85b", "a\u2028b"],
  ...["a\u202egpj.md", "a\u200bb", "a\u{E0041}", "\uFEFFa", "a\uD800"],
  ...["x".repeat(256), "ü".repeat(128), `a/${"x".repeat(300)}/b`, `${"abcdefgh/".repeat(120)}x`],
];

export const UNSAFE_PAIRS: readonly (readonly [first: string, second: string])[] = [
  ["notes.md", "Notes.md"],
  ["a/x.md", "A/y.md"],
  ["a/x.md", "A"],
  ["straße", "STRASSE"],
  ["é.md", "e\u0301.md"],
  ["Å/x", "A\u030A/x"],
];

export const SAFE_PATHS: readonly string[] = [
  ...["a/b.md", "contract.md", "auxiliary/null.md", ".hidden", "a..b", "..a", "console", "com0x", "com10"],
  ...[
    "家/Ünder 👨‍👩‍👧.md",
    "می‌خواهم.md",
    "it's $(here) & `there`; ok!.md",
    "a b",
    "%00",
    "~x",
    "-rf",
    "#1 {x}.md",
  ],
];
