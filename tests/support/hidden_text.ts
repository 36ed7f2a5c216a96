/**
 * What must nobody fail to see, and what do scripts and emoji need? The expected marks are literals, not the program's
 * own table.
 */

export const HIDDEN_TEXTS: Readonly<Record<string, readonly [text: string, shown: string]>> = {
  "controls": ["a\0b\x07c\x1b[2Jd\x7fe\x85f\x9bg", "a␀b␇c␛[2Jd␡e\uFFFDf\uFFFDg"],
  "a lone return": ["a\rb", "a␍b"],
  "separators": ["a\u2028b\u2029c", "a\uFFFDb\uFFFDc"],
  "zero width": ["a\u200Bb\u2060c\uFEFFd\u180Ee", "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe"],
  "joiners between Latin letters": ["a\u200Cb\u200Dc", "a\uFFFDb\uFFFDc"],
  "a run of joiners": ["می\u200C\u200C\u200Dخ", "می\u200C\uFFFD\uFFFDخ"],
  "directions": ["a\u202Ab\u202Ec\u2066d\u2069e", "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe"],
  "marks of direction in Latin text": ["a\u200Eb\u200Fc\u061Cd", "a\uFFFDb\uFFFDc\uFFFDd"],
  "a soft hyphen": ["pass\u00ADword", "pass\uFFFDword"],
  "fillers": ["a\u115Fb\u1160c\u3164d\uFFA0e", "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe"],
  "a joiner of graphemes": ["a\u034Fb", "a\uFFFDb"],
  "vowels of Khmer that nobody writes": ["a\u17B4b\u17B5c", "a\uFFFDb\uFFFDc"],
  "invisible operators": ["a\u2061b\u2064c", "a\uFFFDb\uFFFDc"],
  "deprecated format characters": ["a\u206Ab\u206Fc", "a\uFFFDb\uFFFDc"],
  "annotations": ["a\uFFF9b\uFFFAc\uFFFBd", "a\uFFFDb\uFFFDc\uFFFDd"],
  "shorthand and music": ["a\u{1BCA0}b\u{1D173}c", "a\uFFFDb\uFFFDc"],
  "tags": ["a\u{E0001}b\u{E0072}\u{E0075}\u{E006E}\u{E007F}", `a\uFFFDb${"\uFFFD".repeat(4)}`],
  "tags after a flag": ["🏴\u{E0072}\u{E0075}\u{E006E}\u{E007F}", `🏴${"\uFFFD".repeat(4)}`],
  "tags after the flag of Scotland": [
    "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}\u{E0078}",
    "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}\uFFFD",
  ],
  "selectors after a letter": ["a\uFE00b\uFE0Fc\u{E0100}d\u{E01EF}", "a\uFFFDb\uFFFDc\uFFFDd\uFFFD"],
  "a run of selectors": ["😀\uFE0F\uFE0F\u{E0101}\u{E0102}", "😀\uFE0F\uFFFD\uFFFD\uFFFD"],
  "selectors after an ideograph": ["葛\u{E0100}\u{E0101}", "葛\u{E0100}\uFFFD"],
  "a selector after a digit": ["1\uFE0F2\uFE0E", "1\uFFFD2\uFFFD"],
  "unassigned and ignored": ["a\u{E0FFF}b\u2065c\uFFF0d", "a\uFFFDb\uFFFDc\uFFFDd"],
  "noncharacters": ["a\uFDD0b\uFFFFc\u{1FFFE}d", "a\uFFFDb\uFFFDc\uFFFDd"],
};

export const PLAIN_TEXTS: readonly string[] = [
  "Café – naïve “quotes” … → ✓ │ ½ €\ttab",
  "Ελληνικά Русский עברית العربية हिन्दी বাংলা ไทย 한국어 日本語 中文 ქართული አማርኛ",
  // Persian and Urdu, Hindi with a half form, Malayalam, Sinhala, Khmer and Thai with places to break.
  ...["می‌خواهم", "क्‍ष", "അവന്‍", "ක්‍ෂ", "ភាសា​ខ្មែរ", "ภาษา​ไทย"],
  "שלום\u200F! \u200Fאבג",
  "ᠠ᠋ ᠨᠠ᠎ᠠ",
  "葛󠄀城 芦󠄂屋 ⊨︀",
  "\u0600123 \u06DD",
  ...["⚠️ ✔︎ ©️ 1️⃣ #️⃣ ❤️‍🔥", "👩‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 🏳‍🌈 🏴‍☠️ 🧔‍♂️", "🇩🇪 🇧🇷"],
  "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} " +
  "🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];
