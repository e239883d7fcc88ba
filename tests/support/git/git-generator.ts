import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { ObjectFormat } from "#core/git/format/object-format";
import { createRandom, type Random } from "#tests/support/random";

/** What repository to make. The same parameters give the same objects. */
export interface GeneratedRepository {
  /** An absent or empty folder; becomes a bare repository. */
  folder: string;
  /** How many objects to come close to; never fewer, at most a few per cent more. */
  objects: number;
  /** How large a pack of them to come close to, in bytes. */
  sizeBytes?: number;
  seed?: number;
  format?: ObjectFormat;
}

/** Objects that a commit adds: itself, the root tree, two trees below it, a blob. */
const objectsPerCommit = 5;
/** A file is edited this often in a row: its versions become deltas already while they are imported. */
const editsInRow = 12;
const start = 1_700_000_000;

/**
 * Makes a bare repository by `git fast-import`: text files in folders, edited again and again, with merges, an
 * executable, a symbolic link, names beyond ASCII, and annotated tags. Branches `main` and `side`.
 */
export async function generateRepository(options: GeneratedRepository): Promise<void> {
  const { folder, objects, format = "sha1", seed = 1 } = options;
  const sizeBytes = options.sizeBytes ?? objects * 500;
  await runGit(["init", "-q", "--bare", "-b", "main", `--object-format=${format}`, folder]);
  const git = spawn("git", ["-C", folder, "fast-import", "--quiet", "--done"], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  const ended = once(git, "exit");
  await writeHistory(new ImportStream(git.stdin), createRandom(seed), objects, sizeBytes);
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

async function runGit(args: string[]): Promise<void> {
  const git = spawn("git", args, { stdio: ["ignore", "inherit", "inherit"] });
  const [code] = await once(git, "exit");
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}`);
}

/** Text that hardly repeats and compresses to about 0.7 of its length. */
class Words {
  private readonly random: Random;
  private readonly text: string;

  constructor(random: Random) {
    this.random = random;
    const lines: string[] = [];
    for (let length = 0; length < 2 ** 20; ) {
      const line = `${random.integer(2 ** 31).toString(36)}${random.integer(2 ** 31).toString(36)}\n`;
      lines.push(line);
      length += line.length;
    }
    this.text = lines.join("");
  }

  take(length: number): string {
    const at = this.random.integer(this.text.length - length);
    return `${this.text.slice(at, at + length)}\n`;
  }
}

/** Commands to `git fast-import`, gathered into large writes. */
class ImportStream {
  private readonly out: Writable;
  private parts: string[] = [];
  private length = 0;

  constructor(out: Writable) {
    this.out = out;
  }

  async write(text: string): Promise<void> {
    this.parts.push(text);
    this.length += text.length;
    if (this.length > 2 ** 20) await this.flush();
  }

  async flush(): Promise<void> {
    const isTaken = this.out.write(this.parts.join(""));
    this.parts = [];
    this.length = 0;
    if (!isTaken) await once(this.out, "drain");
  }

  async end(): Promise<void> {
    await this.write("done\n");
    await this.flush();
    this.out.end();
  }
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;

async function writeHistory(
  stream: ImportStream,
  random: Random,
  objects: number,
  sizeBytes: number,
): Promise<void> {
  const commits = Math.ceil(objects / objectsPerCommit) + 2;
  const editBytes = Math.max(16, Math.round(sizeBytes / 0.75 / commits) - 350);
  const words = new Words(random);
  const files = new Map<string, string[]>();
  const folders = Math.max(2, Math.ceil(Math.sqrt(commits) / 2));
  let path = "";
  for (let number = 1; number <= commits; number++) {
    if (number % editsInRow === 1) path = pathOf(random, folders);
    const lines = files.get(path) ?? [words.take(300)];
    if (lines.length > 12) lines.splice(random.integer(lines.length), 1);
    lines.splice(random.integer(lines.length + 1), 0, words.take(editBytes));
    files.set(path, lines);
    const edit = `M 100644 inline "${quoted(path)}"\n${data(lines.join(""))}`;
    await stream.write(commitText(number, number === 1 ? edit + oddFiles : edit));
    if (number % 1000 === 0) await stream.write(tagText(number));
  }
  await stream.write(tagText(commits));
  await stream.end();
}

const pathOf = (random: Random, folders: number): string =>
  `part-${random.integer(folders)}/é${random.integer(4)}/file ${random.integer(12)}.txt`;

const oddFiles = `M 100755 inline run\n${data("#!/bin/sh\n")}M 120000 inline link\n${data("run")}`;

const quoted = (path: string): string =>
  [...Buffer.from(path)]
    .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\${byte.toString(8)}`))
    .join("");

function commitText(number: number, edits: string): string {
  const who = `Ada Example <ada@example.org> ${start + number * 60} +0100`;
  const isMerge = number % 50 === 0;
  // Every commit is main's; each 25th also becomes side, which each 50th merges.
  const merge = isMerge ? "merge refs/heads/side\n" : "";
  const commit =
    `commit refs/heads/main\nmark :${number}\nauthor ${who}\ncommitter ${who}\n` +
    `${data(`Change number ${number}\n`)}${merge}${edits}\n`;
  return number % 50 === 25 ? `${commit}reset refs/heads/side\nfrom :${number}\n\n` : commit;
}

function tagText(number: number): string {
  const who = `Ada Example <ada@example.org> ${start + number * 60} +0100`;
  return `tag v${number}\nfrom :${number}\ntagger ${who}\n${data(`Version ${number}\n`)}`;
}
