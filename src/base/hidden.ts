/** Characters that hide instructions from readers. Scripts and emoji need some, beside certain neighbours. */

let built: { readonly hidden: RegExp; readonly needed: RegExp } | undefined;

const hiddenPatterns = () =>
  built ??= {
    // Tabs and line ends are left to the caller. Signs that enclose numbers or arrange hieroglyphs are visible.
    hidden:
      /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}|\r(?!\n)|(?![\t\n\r\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}\u{13430}-\u{1343F}])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2028\u2029]/uy,
    needed: anyOf([
      // Joiners, in scripts whose letters change their shape.
      /(?<=(?=[\p{L}\p{M}])(?!\p{Default_Ignorable_Code_Point})[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mand}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Rohg}\p{scx=Mong}\p{scx=Phag}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Newa}\p{scx=Tirh}\p{scx=Gran}\p{scx=Shrd}\p{scx=Kthi}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Java}\p{scx=Bali}])[\u200C\u200D]/uy,
      // Line break opportunities, in scripts without spaces.
      /(?<=(?=[\p{L}\p{M}])[\p{scx=Khmr}\p{scx=Mymr}\p{scx=Thai}\p{scx=Laoo}\p{scx=Tibt}\p{scx=Java}\p{scx=Bali}])\u200B(?=\p{L})(?=[\p{scx=Khmr}\p{scx=Mymr}\p{scx=Thai}\p{scx=Laoo}\p{scx=Tibt}\p{scx=Java}\p{scx=Bali}])/uy,
      // Direction marks beside a right-to-left letter: they turn neighbouring signs only.
      /(?<=(?=\p{L})[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}])[\u061C\u200E\u200F]/uy,
      /[\u061C\u200E\u200F](?=\p{L})(?=[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}])/uy,
      // Variants of Mongolian letters, ideographs, Burmese and Phags-pa letters, and mathematical signs.
      /(?<=(?=\p{L})\p{sc=Mong})(?:[\u180B-\u180D\u180F]|\u180E(?=\p{L})(?=\p{sc=Mong}))/uy,
      /(?<=\p{sc=Han})[\uFE00-\uFE02\u{E0100}-\u{E01EF}]/uy,
      /(?<=[\p{sc=Mymr}\p{sc=Phag}\p{Sm}])\uFE00/uy,
      // The order of vowel signs in Hebrew.
      /(?<=(?!\p{Default_Ignorable_Code_Point})\p{M})\u034F(?!\p{Default_Ignorable_Code_Point})(?=\p{M})/uy,
      // The byte order mark of a file with front matter.
      /(?<![^\n])\uFEFF(?=---\r?\n)/uy,
      // Emoji: picture or text style, keycaps, and sequences.
      /(?<=(?![0-9#*])[\p{Emoji}\p{Extended_Pictographic}])[\uFE0E\uFE0F]/uy,
      /(?<=[0-9#*])\uFE0F(?=\u20E3)/uy,
      /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})/uy,
    ]),
  };

/** One pattern instead of twelve: a text of nothing but hidden characters would run each of them. */
function anyOf(places: readonly RegExp[]): RegExp {
  return new RegExp(places.map(({ source }) => source).join("|"), "uy");
}

/** Whatever common texts hardly contain: 20 times as fast as the full pattern. */
const RARE =
  /[^\t\n -~\u00A0-\u00AC\u00AE-\u034E\u0350-\u061B\u061D-\u115E\u1161-\u17B3\u17B6-\u180A\u1810-\u200A\u2010-\u2027\u202F-\u205F\u2070-\u3163\u3165-\uD7FF\uFF01-\uFF9F]/g;

export function replaceHidden(text: string, replace: (character: string) => string): string {
  let [safe, end] = ["", 0];
  RARE.lastIndex = 0;
  for (let rare; (rare = RARE.exec(text)) !== null;) {
    const at = rare.index;
    const patterns = hiddenPatterns();
    patterns.hidden.lastIndex = at;
    const hidden = patterns.hidden.exec(text)?.[0];
    const found = hidden ?? String.fromCodePoint(text.codePointAt(at)!);
    RARE.lastIndex = at + found.length;
    patterns.needed.lastIndex = at;
    if (hidden === undefined || hidden.length > 2 || patterns.needed.test(text)) continue;
    safe += text.slice(end, at) + replace(hidden);
    end = at + hidden.length;
  }
  return end === 0 ? text : safe + text.slice(end);
}
