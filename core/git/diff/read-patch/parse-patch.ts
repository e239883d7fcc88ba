import { defined } from "../../../defined.ts";
import { executableMode, fileMode, symlinkMode } from "../../format/tree.ts";
import { type BinaryPatch, type BinaryRoom, binaryRoom, readBinaryPatch } from "./binary-patch.ts";
import { readHunk } from "./hunk.ts";
import { PatchLines } from "./patch-lines.ts";

/** The change of a patch to one file. Paths are as git stores them: raw bytes, latin1. */
export interface FilePatch {
  /** The file's path before; absent for a new file. */
  readonly from?: string;
  /** The file's path after; absent for a deleted file. */
  readonly to?: string;
  /** The file stays at its old path, too. */
  readonly isCopy: boolean;
  /** The mode that it gets; absent: that which it has. */
  readonly mode?: number;
  /** Its hunks as they stand in the patch, each checked: `readHunks` reads them. Empty for none. */
  readonly hunks: string;
  readonly binary?: BinaryPatch;
}

/** The problem of a bad patch is a value; nobody outside throws it. */
export type ParsedPatch = { readonly files: readonly FilePatch[] } | { readonly problem: string };

/** The content of the lines above the hunks of a file. */
interface Headers {
  old?: string;
  new?: string;
  source?: string;
  target?: string;
  mode?: number;
  isNew: boolean;
  isDeleted: boolean;
  isCopy: boolean;
  newId?: string;
}

/**
 * Reads a patch (latin1) in the form of `git diff` and `git format-patch`, or a plain unified diff, with one folder in
 * front of names (`a/`, `b/`). It skips text around the files. A problem for other text. It ends with the first file
 * beyond `mostFiles`.
 */
export function parsePatch(text: string, mostFiles = Number.POSITIVE_INFINITY): ParsedPatch {
  const lines = new PatchLines(text);
  const files: FilePatch[] = [];
  const room = binaryRoom();
  while (!lines.isAtEnd && files.length <= mostFiles) {
    const file = isStart(lines) ? readFile(lines, room) : undefined;
    if (typeof file === "string") return { problem: `${file} (line ${lines.number})` };
    if (file === undefined) lines.next();
    else files.push(file);
  }
  return files.length === 0 ? { problem: "there is no diff of a file in it" } : { files };
}

const isStart = (lines: PatchLines): boolean =>
  lines.line.startsWith("diff --git ") || (lines.line.startsWith("--- ") && lines.ahead.startsWith("+++ "));

function readFile(lines: PatchLines, room: BinaryRoom): FilePatch | string {
  const headers: Headers = { isNew: false, isDeleted: false, isCopy: false };
  if (lines.line.startsWith("diff --git ")) {
    const both = namesIn(lines.next().slice("diff --git ".length));
    if (both !== undefined) [headers.old, headers.new] = both;
    for (
      let problem = readHeader(lines, headers);
      problem !== undefined;
      problem = readHeader(lines, headers)
    ) {
      if (problem !== "") return problem;
    }
  }
  readNames(lines, headers);
  const { offset } = lines;
  while (lines.line.startsWith("@@ ")) {
    const hunk = readHunk(lines);
    if (typeof hunk === "string") return hunk;
  }
  const hunks = lines.since(offset);
  const binary = lines.line === "GIT binary patch" ? readBinaryPatch(lines, room, headers.newId) : undefined;
  if (typeof binary === "string") return binary;
  if (/^Binary files .* differ$/.test(lines.line)) return "it leaves out what changed of a binary file";
  return fileOf(headers, hunks, binary);
}

function fileOf(headers: Headers, hunks: string, binary: BinaryPatch | undefined): FilePatch | string {
  const { isNew, isDeleted, isCopy, mode } = headers;
  const from = isNew ? undefined : (headers.source ?? headers.old);
  const to = isDeleted ? undefined : (headers.target ?? headers.new);
  if (from === undefined && to === undefined) return "a file without a name";
  if ((from === undefined && !isNew) || (to === undefined && !isDeleted)) return "a file without a name";
  return {
    ...defined({ from, to, mode, binary }),
    ...{ isCopy, hunks },
  };
}

const modes: ReadonlySet<number> = new Set([fileMode, executableMode, symlinkMode]);

/** Takes one line of git's headers: empty for a header, a text for a wrong one, undefined behind the last. */
function readHeader(lines: PatchLines, headers: Headers): string | undefined {
  const [, key, value = ""] = headerLine.exec(lines.line) ?? [];
  if (key === undefined) return undefined;
  lines.next();
  if (key === "index") {
    headers.newId = /^[0-9a-f]+\.\.([0-9a-f]+)/.exec(value)?.[1] ?? "";
  } else if (key.endsWith("mode")) {
    if (key === "new file mode") headers.isNew = true;
    if (key === "deleted file mode") headers.isDeleted = true;
    const mode = Number.parseInt(value, 8);
    if (!modes.has(mode)) return `it is of a submodule, or of a mode that git does not have: ${value}`;
    if (key !== "old mode" && key !== "deleted file mode") headers.mode = mode;
  } else if (key.endsWith("from")) {
    headers.source = unquote(value);
    headers.isCopy = key === "copy from";
  } else if (key.endsWith("to")) headers.target = unquote(value);
  return "";
}

const headerLine =
  /^(old mode|new mode|new file mode|deleted file mode|(?:copy|rename) (?:from|to)|(?:dis)?similarity index|index) (.*)$/;

/** The lines `---` and `+++`, which override the line above them. */
function readNames(lines: PatchLines, headers: Headers): void {
  if (!lines.line.startsWith("--- ") || !lines.ahead.startsWith("+++ ")) return;
  const old = nameIn(lines.next().slice("--- ".length));
  const fresh = nameIn(lines.next().slice("+++ ".length));
  if (old === undefined) headers.isNew = true;
  else headers.old = old;
  if (fresh === undefined) headers.isDeleted = true;
  else headers.new = fresh;
}

/** A name without its first folder; undefined for `/dev/null`. A time may follow it. */
function nameIn(text: string): string | undefined {
  const name = text.startsWith('"') ? unquote(text) : (text.split("\t")[0] as string);
  return name === "/dev/null" ? undefined : withoutFolder(name);
}

const withoutFolder = (name: string): string => name.slice(name.indexOf("/") + 1);

/** Both names of `a/name b/name`, if they are equal: different ones have headers of their own. */
function namesIn(text: string): [string, string] | undefined {
  if (text.startsWith('"')) {
    const first = unquote(text);
    return [withoutFolder(first), withoutFolder(first)];
  }
  const half = (text.length - 1) / 2;
  const [one, other] = [text.slice(0, half), text.slice(half + 1)].map(withoutFolder);
  return one !== undefined && one === other ? [one, one] : undefined;
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: "\x07", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" },
};

/** The quoted text at the start, with its escapes resolved; else the text as it is. */
function unquote(text: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  if (quoted === undefined) return text;
  return quoted.replace(/\\([0-7]{3}|.)/g, (_all, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : (escapes[code] ?? code),
  );
}
