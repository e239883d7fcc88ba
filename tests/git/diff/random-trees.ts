import { git } from "#tests/git/pack/real-git";
import type { Random } from "#tests/support/random";

/** A file of a generated tree; content as bytes. */
export interface GeneratedFile {
  readonly mode: "100644" | "100755" | "120000" | "160000";
  readonly content: Buffer;
}

/** Files by path. */
export type GeneratedTree = ReadonlyMap<string, GeneratedFile>;

const words = [
  "if (x) {",
  "}",
  "return y;",
  "function f() {",
  "",
  "",
  "let a = 1;",
  "call(b);",
  "} else {",
  "# title",
  "def g:",
];
const folders = ["", "src/", "src/deep/", "docs/", "a b/", "größe/", "src-x/"];
const names = [
  "src",
  "docs",
  "a.c",
  "b.c",
  "readme",
  "naïve.txt",
  'q"uote',
  "tab\there",
  "sp ace",
  "new\nline",
  "x.y",
  "lib.rs",
  "z",
];

/** Text of lines that repeat, with indents and blank lines: what makes line diffs ambiguous. */
export function randomText(random: Random, most = 60): string {
  const lines = Array.from({ length: random.integer(most) }, () => randomLine(random));
  const ending = random.chance(0.1) ? "\r\n" : "\n";
  const text = lines.map((line) => line + ending).join("");
  return random.chance(0.1) ? text.replace(/\r?\n$/, "") : text;
}

const randomLine = (random: Random): string =>
  `${random.chance(0.2) ? "\t".repeat(random.integer(3)) : " ".repeat(2 * random.integer(5))}${random.pick(words)}${
    random.chance(0.4) ? random.integer(1000) : ""
  }`;

/** Some edits: lines added, removed, changed, moved, repeated; line ends changed. */
export function editText(random: Random, text: string): string {
  const lines = text.split(/(?<=\n)/);
  for (let edits = random.integer(6); edits >= 0; edits--) {
    const at = random.integer(lines.length + 1);
    const count = 1 + random.integer(4);
    const kind = random.integer(5);
    if (kind === 0) lines.splice(at, count);
    else if (kind === 1)
      lines.splice(at, 0, ...Array.from({ length: count }, () => `${randomLine(random)}\n`));
    else if (kind === 2) lines.splice(at, 1, `${randomLine(random)}\n`);
    else if (kind === 3) lines.splice(random.integer(lines.length + 1), 0, ...lines.splice(at, count));
    else lines.splice(at, 0, ...lines.slice(at, at + count));
  }
  const edited = lines.join("");
  return random.chance(0.05) ? edited.replace(/\n$/, "") : edited;
}

const randomPath = (random: Random): string => random.pick(folders) + random.pick(names);

function randomFile(random: Random): GeneratedFile {
  if (random.chance(0.06))
    return { mode: "120000", content: Buffer.from(random.pick(["a.c", "../x", "nowhere"])) };
  if (random.chance(0.06))
    return { mode: "160000", content: Buffer.from(random.pick(["1", "2", "3"]).repeat(40)) };
  const mode = random.chance(0.15) ? "100755" : "100644";
  if (random.chance(0.08)) return { mode, content: Buffer.from([1, 0, random.integer(256), 10, 65]) };
  if (random.chance(0.05)) return { mode, content: Buffer.alloc(0) };
  return { mode, content: Buffer.from(randomText(random)) };
}

const isText = (file: GeneratedFile) => file.mode.startsWith("100") && !file.content.includes(0);

/** A tree after some changes: edits, new and deleted files, moves with and without edits, copies, modes. */
export function changeTree(random: Random, tree: GeneratedTree, most = 6): GeneratedTree {
  const files = new Map(tree);
  for (let changes = random.integer(most); changes >= 0; changes--) {
    const paths = [...files.keys()];
    const path = paths.length === 0 ? "" : random.pick(paths);
    const file = files.get(path);
    const kind = random.integer(10);
    if (file === undefined || kind < 2) put(files, randomPath(random), randomFile(random));
    else if (kind < 3) files.delete(path);
    else if (kind < 6) {
      if (kind === 3 || !isText(file)) files.delete(path);
      if (kind === 5) continue;
      const edited =
        isText(file) && random.chance(0.6) ? editText(random, file.content.toString()) : undefined;
      put(files, randomPath(random), {
        ...file,
        content: edited === undefined ? file.content : Buffer.from(edited),
      });
    } else if (kind < 7 && isText(file)) {
      files.set(path, { ...file, mode: file.mode === "100644" ? "100755" : "100644" });
    } else if (isText(file)) {
      files.set(path, { ...file, content: Buffer.from(editText(random, file.content.toString())) });
    } else put(files, path, randomFile(random));
  }
  return files;
}

/** A tree after a folder moved, whole or nearly, mostly with its content as it was. */
export function moveFolder(random: Random, tree: GeneratedTree): GeneratedTree {
  const files = new Map(tree);
  const from = random.pick(folders.slice(1));
  const to = random.pick([...folders, "moved/", "src/moved/", "moved/deep/"]);
  for (const [path, file] of tree) {
    if (!path.startsWith(from) || to.startsWith(from) || random.chance(0.1)) continue;
    files.delete(path);
    const name = random.chance(0.1) ? random.pick(names) : path.slice(from.length);
    const isEdited = isText(file) && random.chance(0.2);
    const content = isEdited ? Buffer.from(editText(random, file.content.toString())) : file.content;
    put(files, (random.chance(0.1) ? random.pick(folders) : to) + name, { ...file, content });
  }
  return files;
}

/** Puts a file where no file stands in its way, or is a folder of another. */
function put(files: Map<string, GeneratedFile>, path: string, file: GeneratedFile): void {
  for (const other of [...files.keys()]) {
    if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other);
  }
  files.set(path, file);
}

const quoted = (path: string): string =>
  `"${[...Buffer.from(path)]
    .map((byte) =>
      byte < 0x21 || byte > 0x7e || byte === 0x22 || byte === 0x5c
        ? `\\${byte.toString(8).padStart(3, "0")}`
        : String.fromCharCode(byte),
    )
    .join("")}"`;

/** A commit to write: its tree and the numbers of its parents. */
export interface GeneratedCommit {
  readonly tree: GeneratedTree;
  readonly parents?: readonly number[];
  readonly message?: string;
  readonly author?: string;
}

/** Writes commits in their order; commit `n` gets the branch `c<n>`. Ids of submodules are cut to the format. */
export async function writeCommits(
  folder: string,
  commits: readonly GeneratedCommit[],
  idDigits = 40,
): Promise<void> {
  const parts: Buffer[] = [];
  const write = (text: string) => parts.push(Buffer.from(text));
  for (const [number, commit] of commits.entries()) {
    const { tree, parents = [], message = `c${number}`, author = "Ada Example" } = commit;
    const who = `${author} <ada@example.org> ${1_700_000_000 + number * 100} +0100`;
    write(`commit refs/heads/c${number}\nmark :${number + 1}\nauthor ${who}\ncommitter ${who}\n`);
    write(`data ${Buffer.byteLength(message)}\n${message}\n`);
    for (const [at, parent] of parents.entries()) write(`${at === 0 ? "from" : "merge"} :${parent + 1}\n`);
    write("deleteall\n");
    for (const [path, { mode, content }] of tree) {
      if (mode === "160000") {
        write(`M 160000 ${content.toString().padEnd(idDigits, "0")} ${quoted(path)}\n`);
        continue;
      }
      write(`M ${mode} inline ${quoted(path)}\ndata ${content.length}\n`);
      parts.push(content);
      write("\n");
    }
    write("\n");
  }
  await git(folder, ["fast-import", "--quiet", "--force"], Buffer.concat(parts));
}
