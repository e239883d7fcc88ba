import type { Language } from "linguist-languages";
import { lazy } from "../../lazy.ts";

/** Recognizes languages by file names. */
export interface Detector {
  /** The language of a file of this name; undefined when the name says nothing. */
  ofName(name: string): DetectedLanguage | undefined;
  /** The language of this name, in any case, with `-` for blanks as in .gitattributes. */
  called(name: string): DetectedLanguage | undefined;
}

/** A language as it is counted. */
export interface DetectedLanguage {
  /** The name of its group, when it is a dialect. */
  readonly name: string;
  /** Data and prose are known, and not counted. */
  readonly isCounted: boolean;
}

/** The language meant by an ending that is the first one of several languages, or of none. */
const meant: Readonly<Record<string, string>> = {
  ...{
    ".h": "C",
    ".inc": "PHP",
    ".m": "Objective-C",
    ".pl": "Perl",
    ".pm": "Perl",
    ".r": "R",
    ".rs": "Rust",
  },
  ...{
    ".sql": "SQL",
    ".t": "Perl",
    ".v": "Verilog",
    ".fs": "F#",
    ".md": "Markdown",
    ".l": "Lex",
    ".n": "Nemerle",
  },
  ...{
    ".asm": "Assembly",
    ".s": "Assembly",
    ".cl": "Common Lisp",
    ".d": "D",
    ".e": "Eiffel",
    ".f": "Fortran",
  },
  ...{
    ".for": "Fortran",
    ".g": "GAP",
    ".gd": "GDScript",
    ".gs": "JavaScript",
    ".hh": "C++",
    ".j": "Objective-J",
  },
  ...{
    ".lisp": "Common Lisp",
    ".ls": "LiveScript",
    ".mod": "Modula-2",
    ".ml": "OCaml",
    ".mm": "Objective-C++",
  },
  ...{
    ".pp": "Puppet",
    ".pro": "Prolog",
    ".sc": "Scala",
    ".sol": "Solidity",
    ".st": "Smalltalk",
    ".tpp": "C++",
  },
  ...{ ".cls": "Apex", ".yml": "YAML", ".json": "JSON", ".html": "HTML", ".bas": "BASIC", ".cgi": "Perl" },
};

/** Loaded on first use: the data of some eight hundred languages. */
export const findDetector = lazy(async (): Promise<Detector> => {
  const languages = Object.values(await import("linguist-languages"));
  const [byEnding, byFile, byName] = [
    tableOf(endings(languages)),
    tableOf(files(languages)),
    names(languages),
  ];
  return {
    ofName(name) {
      const file = byFile.get(name);
      if (file !== undefined) return file;
      const lower = name.toLowerCase();
      // The longest ending counts: `.blade.php` before `.php`.
      for (let dot = lower.indexOf(".", 1); dot >= 0; dot = lower.indexOf(".", dot + 1)) {
        const found = byEnding.get(lower.slice(dot));
        if (found !== undefined) return found;
      }
      return undefined;
    },
    called: (name) => byName.get(name.toLowerCase().replaceAll("-", " ")),
  };
});

const detected = ({ name, group, type }: Language): DetectedLanguage => ({
  name: group ?? name,
  isCounted: type === "programming" || type === "markup",
});

type Claim = readonly [text: string, language: Language, isFirst: boolean];

const endings = (languages: readonly Language[]): Claim[] =>
  languages.flatMap((one) =>
    (one.extensions ?? []).map((ending, at): Claim => [ending.toLowerCase(), one, at === 0]),
  );
const files = (languages: readonly Language[]): Claim[] =>
  languages.flatMap((one) => (one.filenames ?? []).map((file): Claim => [file, one, true]));

/**
 * Of several languages that claim an ending: the one that is meant, then one whose first it is, then a programming
 * language.
 */
function tableOf(claims: readonly Claim[]): Map<string, DetectedLanguage> {
  const best = new Map<string, { rank: number; language: Language }>();
  for (const [text, language, isFirst] of claims) {
    const isMeant = meant[text] === language.name;
    const rank = (isMeant ? 4 : 0) + (isFirst ? 2 : 0) + (language.type === "programming" ? 1 : 0);
    const known = best.get(text);
    if (known === undefined || known.rank < rank) best.set(text, { rank, language });
  }
  return new Map([...best].map(([text, { language }]) => [text, detected(language)]));
}

const names = (languages: readonly Language[]): Map<string, DetectedLanguage> =>
  new Map(
    languages.flatMap((one) =>
      [...(one.aliases ?? []), one.name].map((name) => [
        name.toLowerCase().replaceAll("-", " "),
        detected(one),
      ]),
    ),
  );
