import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { runGit } from "#tests/git/http/real-git";
import { onFileFinished } from "#tests/support/suite/file-end";

/** Makes ids the same in every run. */
const fixedIdentity = {
  GIT_AUTHOR_NAME: "Ada Example",
  GIT_COMMITTER_NAME: "Ada Example",
  GIT_AUTHOR_DATE: "1700000000 +0100",
  GIT_COMMITTER_DATE: "1700000000 +0100",
};

/** Runs the real git; gives its output as bytes. Throws with its words when it fails. */
export async function git(folder: string, args: string[], input: string | Uint8Array = ""): Promise<Buffer> {
  const { code, stdout, stderr } = await runGit(folder, args, { input, env: fixedIdentity });
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** The same as trimmed text. */
export const gitText = async (folder: string, args: string[], input?: string | Uint8Array): Promise<string> =>
  (await git(folder, args, input)).toString().trim();

/** How long a folder is kept: those made in `beforeAll` are the file's. */
export type KeptFor = "test" | "file";

/** A folder that goes when the test or the file does. */
export async function temporaryFolder(keptFor: KeptFor = "test"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coldforge-git-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  if (keptFor === "file") onFileFinished(remove);
  else onTestFinished(remove);
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
