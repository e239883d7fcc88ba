import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import type { ObjectFormat } from "#core/git/object/object-format";

const identity = {
  GIT_AUTHOR_NAME: "Ada Example",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_AUTHOR_DATE: "1700000000 +0100",
  GIT_COMMITTER_NAME: "Ada Example",
  GIT_COMMITTER_EMAIL: "ada@example.org",
  GIT_COMMITTER_DATE: "1700000000 +0100",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
};

/** Runs the real git; gives its output. Throws with its words when it fails. */
export async function git(folder: string, args: string[], input: string | Uint8Array = ""): Promise<Buffer> {
  const child = spawn("git", args, { cwd: folder, env: { ...process.env, ...identity } });
  const out: Buffer[] = [];
  const words: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => out.push(piece));
  child.stderr.on("data", (piece: Buffer) => words.push(piece));
  child.stdin.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  child.stdin.end(input);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${Buffer.concat(words).toString()}`);
  return Buffer.concat(out);
}

/** The same as trimmed text. */
export const gitText = async (folder: string, args: string[], input?: string | Uint8Array): Promise<string> =>
  (await git(folder, args, input)).toString().trim();

/** How long a folder is kept: those made in `beforeAll` are the file's. */
export type KeptFor = "test" | "file";

const keptForFile: string[] = [];
const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true });
// A hook can't register another one, so the file's is registered here, once.
afterAll(async () => {
  await Promise.all(keptForFile.splice(0).map(removeFolder));
});

/** A folder that goes when the test or the file does. */
export async function temporaryFolder(keptFor: KeptFor = "test"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coldforge-git-"));
  if (keptFor === "file") keptForFile.push(folder);
  else onTestFinished(() => removeFolder(folder));
  return folder;
}

/** An empty bare repository that goes when the test or the file does. */
export async function bareRepository(format: ObjectFormat, keptFor?: KeptFor): Promise<string> {
  const folder = await temporaryFolder(keptFor);
  await git(folder, ["init", "-q", "--bare", "-b", "main", `--object-format=${format}`, "."]);
  return folder;
}

/** A pack of what the revisions reach, as a client would send it. */
export const packOfRevisions = (
  folder: string,
  revisions: string[],
  options: string[] = [],
): Promise<Buffer> =>
  git(
    folder,
    ["pack-objects", "--stdout", "-q", "--revs", "--delta-base-offset", ...options],
    `${revisions.join("\n")}\n`,
  );
