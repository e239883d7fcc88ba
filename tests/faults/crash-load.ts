import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ServerProcess } from "../support/process/server-process.ts";

const run = promisify(execFile);

/** Everything that the server has acknowledged so far, over all rounds. */
export class Acknowledged {
  /** Repository → issue number → title. */
  readonly issues = new Map<string, Map<number, string>>();
  /** Repository → comment id → text. */
  readonly comments = new Map<string, Map<number, string>>();
  /** Repository → branch → commit. */
  readonly branches = new Map<string, Map<string, string>>();
  writes = 0;
  pushes = 0;

  of<Key, Value>(map: Map<string, Map<Key, Value>>, repository: string): Map<Key, Value> {
    const found = map.get(repository) ?? new Map<Key, Value>();
    map.set(repository, found);
    return found;
  }
}

export interface LoadOptions {
  readonly work: string;
  readonly round: number;
  readonly signal: AbortSignal;
}

/** Writes issues, comments and pushes side by side until the signal; notes what was acknowledged. */
export async function runLoad(
  server: ServerProcess,
  known: Acknowledged,
  options: LoadOptions,
): Promise<void> {
  const repository = `round-${options.round}`;
  if (!(await post(server, "/user/repos", { name: repository }))) return;
  known.writes += 1;
  known.of(known.branches, repository);
  const writers = [0, 1, 2].map((writer) => writeIssues(server, known, repository, writer, options.signal));
  const pushers = [0, 1].map((pusher) => pushBranches(server, known, repository, pusher, options));
  await Promise.all([...writers, ...pushers]);
}

/** The answer's JSON when the server acknowledged the write; undefined when it was gone before. */
async function post(
  server: ServerProcess,
  path: string,
  body: object,
): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method: "POST",
      headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 201) throw new UnexpectedAnswer(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof UnexpectedAnswer) throw error;
    return undefined;
  }
}

class UnexpectedAnswer extends Error {}

async function writeIssues(
  server: ServerProcess,
  known: Acknowledged,
  repository: string,
  writer: number,
  signal: AbortSignal,
): Promise<void> {
  for (let count = 0; !signal.aborted; count += 1) {
    const title = `Issue ${count} of writer ${writer}`;
    const issue = await post(server, `/repos/root/${repository}/issues`, { title });
    if (issue === undefined) return;
    known.of(known.issues, repository).set(Number(issue.number), title);
    known.writes += 1;
    const body = `A comment on ${title}`;
    const comment = await post(server, `/repos/root/${repository}/issues/${issue.number}/comments`, { body });
    if (comment === undefined) return;
    known.of(known.comments, repository).set(Number(comment.id), body);
    known.writes += 1;
  }
}

async function pushBranches(
  server: ServerProcess,
  known: Acknowledged,
  repository: string,
  pusher: number,
  options: LoadOptions,
): Promise<void> {
  const folder = join(options.work, `${repository}-${pusher}`);
  mkdirSync(folder);
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=Crash", "-c", "user.email=c@example.com", ...args], { cwd: folder });
  await git("init", "-q", "-b", `pusher-${pusher}`);
  const url = `${server.url.replace("//", `//root:${server.token}@`)}/root/${repository}.git`;
  for (let count = 0; !options.signal.aborted; count += 1) {
    writeFileSync(join(folder, "file"), `${count}\n`.repeat(200));
    await git("add", "file");
    await git("commit", "-q", "-m", `Commit ${count}`);
    const branch = count % 3 === 2 ? `pusher-${pusher}-${count}` : `pusher-${pusher}`;
    const commit = (await git("rev-parse", "HEAD")).stdout.trim();
    try {
      await git("push", "-q", url, `HEAD:refs/heads/${branch}`);
    } catch {
      return; // not acknowledged: the server is gone
    }
    known.of(known.branches, repository).set(branch, commit);
    known.pushes += 1;
  }
}
