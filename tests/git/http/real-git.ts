import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ObjectFormat, objectIdLength } from "#core/git/format/object-format";
import { runByRunner } from "#tests/support/git-runner";

/** What a git command did. */
export interface GitRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Nothing to wait for the disk, and no housekeeping behind each command. Nor do the tests' clients have what git keeps
 * beside packs: each fsck would start two more processes to look into it.
 */
const settings = {
  "core.fsync": "none",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "core.commitGraph": "false",
  "core.multiPackIndex": "false",
};

/** Git with no settings but ours, so that every machine runs the same. */
const environment = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TEMPLATE_DIR: "",
  GIT_CONFIG_COUNT: String(Object.keys(settings).length),
  ...Object.fromEntries(
    Object.entries(settings).flatMap(([key, value], place) => [
      [`GIT_CONFIG_KEY_${place}`, key],
      [`GIT_CONFIG_VALUE_${place}`, value],
    ]),
  ),
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

/** What a command is given beside its arguments. */
export interface GitInput {
  readonly input?: string | Uint8Array;
  readonly env?: Record<string, string>;
}

/** Runs git and answers whatever it did, its output as bytes. */
export const runGit = (folder: string, args: readonly string[], { input = "", env }: GitInput = {}) =>
  runByRunner({ args, options: { cwd: folder, env: { ...environment, ...env } }, input });

/** The same with its output as text. */
export async function tryGit(
  folder: string,
  args: readonly string[],
  options: GitInput = {},
): Promise<GitRun> {
  const run = await runGit(folder, args, options);
  return { ...run, stdout: run.stdout.toString() };
}

/** Runs git and answers its output; throws with what it said when it fails. */
export async function git(folder: string, args: readonly string[], options: GitInput = {}): Promise<string> {
  const run = await tryGit(folder, args, options);
  if (run.code !== 0) throw new Error(`git ${args.join(" ")} ended with ${run.code}: ${run.stderr}`);
  return run.stdout.trimEnd();
}

/** Folders of a test, removed together. */
export class Folders {
  readonly #made: string[] = [];

  async make(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "coldforge-git-"));
    this.#made.push(folder);
    return folder;
  }

  async remove(): Promise<void> {
    for (const folder of this.#made.splice(0)) await rm(folder, { recursive: true, force: true });
  }
}

let clock = 1_700_000_000;
/** Where commits are made; nothing of it stays. */
const incoming = "refs/incoming";

/** What to commit: files by their paths, and why. */
export interface NewCommit {
  readonly files: Record<string, string>;
  readonly message?: string;
}

/** A commit as `git fast-import` takes it: upon the one before it, or upon HEAD. */
function streamOf({ files, message = "change" }: NewCommit, mark: number, isUponHead: boolean): string {
  clock += 60;
  const changes = Object.entries(files).map(
    ([path, content]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`,
  );
  return [
    `commit ${incoming}\nmark :${mark}\ncommitter Ada <ada@example.org> ${clock} +0000\n`,
    `data ${Buffer.byteLength(message)}\n${message}\n${isUponHead ? "from HEAD\n" : ""}`,
    ...changes,
    "\n",
  ].join("");
}

/** A working repository with helpers that keep tests short. */
export class WorkingCopy {
  readonly folder: string;
  /** Of ids; absent as long as git wasn't asked, in a copy that `init` did not make. */
  #idLength: number | undefined;
  /** Whether HEAD may have no commit yet. */
  #isFresh = false;

  constructor(folder: string) {
    this.folder = folder;
  }

  static async init(folders: Folders, format: ObjectFormat = "sha1"): Promise<WorkingCopy> {
    const folder = await folders.make();
    await git(folder, ["init", "-q", "-b", "main", `--object-format=${format}`]);
    const made = new WorkingCopy(folder);
    made.#idLength = objectIdLength(format);
    made.#isFresh = true;
    return made;
  }

  git(...args: string[]): Promise<string> {
    return git(this.folder, args);
  }

  try(...args: string[]): Promise<GitRun> {
    return tryGit(this.folder, args);
  }

  /** Commits files given by path; answers the commit's id. */
  async commit(files: Record<string, string>, message = "change"): Promise<string> {
    const [id] = await this.commitAll([{ files, message }]);
    return id as string;
  }

  /** Makes commits, one upon the other, a minute apart; answers their ids. */
  async commitAll(commits: readonly NewCommit[]): Promise<string[]> {
    const { idLength, isBorn } = await this.#head();
    const stream = commits.map((commit, place) => streamOf(commit, place + 1, place === 0 && isBorn));
    stream.push(...commits.map((_commit, place) => `get-mark :${place + 1}\n`));
    stream.push(`reset ${incoming}\nfrom ${"0".repeat(idLength)}\n`);
    const printed = await git(this.folder, ["fast-import", "--quiet", "--force"], { input: stream.join("") });
    const ids = printed.split("\n");
    await this.git("reset", "-q", "--hard", ids.at(-1) as string);
    this.#isFresh = false;
    return ids;
  }

  /** How long ids are, and whether HEAD has a commit: by a look into its files where `init` made it. */
  async #head(): Promise<{ idLength: number; isBorn: boolean }> {
    if (this.#idLength === undefined) {
      const { code, stdout } = await this.try("rev-parse", "--show-object-format", "HEAD");
      this.#idLength = stdout.startsWith("sha256") ? 64 : 40;
      return { idLength: this.#idLength, isBorn: code === 0 };
    }
    if (!this.#isFresh) return { idLength: this.#idLength, isBorn: true };
    const head = (await readFile(join(this.folder, ".git/HEAD"), "utf8")).trim();
    const isBorn = !head.startsWith("ref: ") || existsSync(join(this.folder, ".git", head.slice(5)));
    return { idLength: this.#idLength, isBorn };
  }

  /** So many commits by one run of git, the first of number 0. */
  commitSeries(count: number, filesOf: (number: number) => Record<string, string>): Promise<string[]> {
    return this.commitAll(Array.from({ length: count }, (_, number) => ({ files: filesOf(number) })));
  }

  /** All refs as `id name` lines. */
  refs(): Promise<string> {
    return this.git("for-each-ref", "--format=%(objectname) %(refname)");
  }
}

/** The refs that a server shows, as `id name` lines without HEAD and what tags lead to. */
export async function remoteRefs(url: string, ...options: string[]): Promise<string[]> {
  const listed = await git(tmpdir(), [...options, "ls-remote", url]);
  return listed
    .split("\n")
    .filter((line) => line !== "" && !line.endsWith("\tHEAD") && !line.endsWith("^{}"))
    .map((line) => line.replace("\t", " "));
}

/** Clones everything as it is on the server and checks every object; answers the bare folder. */
export async function cloneAndCheck(folders: Folders, url: string, ...options: string[]): Promise<string> {
  const folder = await folders.make();
  // Strict clients refuse packs with doubles and broken objects.
  const strict = ["-c", "transfer.fsckObjects=true"];
  await git(folder, [...options, ...strict, "clone", "-q", "--mirror", url, "copy.git"]);
  const copy = join(folder, "copy.git");
  await git(copy, ["fsck", "--full", "--strict"]);
  return copy;
}
