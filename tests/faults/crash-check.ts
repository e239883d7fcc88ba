import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ServerProcess } from "../support/process/server-process.ts";
import type { Acknowledged } from "./crash-load.ts";

const run = promisify(execFile);

interface Row {
  readonly [name: string]: unknown;
}

/** Compares everything acknowledged with what a restarted server answers; each difference is a line. */
export async function check(server: ServerProcess, known: Acknowledged, work: string): Promise<string[]> {
  const problems: string[] = [];
  for (const repository of known.branches.keys()) {
    problems.push(
      ...(await checkIssues(server, known, repository)),
      ...(await checkComments(server, known, repository)),
    );
    problems.push(...(await checkRefs(server, known, repository, work)));
  }
  return problems;
}

async function getAll(server: ServerProcess, path: string): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const separator = path.includes("?") ? "&" : "?";
    const response = await fetch(`${server.url}/api/v1${path}${separator}limit=50&page=${page}`, {
      headers: { authorization: `token ${server.token}` },
    });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    const found = (await response.json()) as Row[];
    rows.push(...found);
    const total = Number(response.headers.get("x-total-count"));
    if (found.length < 50) return { rows, total };
  }
}

async function checkIssues(
  server: ServerProcess,
  known: Acknowledged,
  repository: string,
): Promise<string[]> {
  const problems: string[] = [];
  const { rows, total } = await getAll(server, `/repos/root/${repository}/issues?state=all`);
  const titles = new Map(rows.map((row) => [Number(row.number), row.title]));
  for (const [number, title] of known.of(known.issues, repository)) {
    if (titles.get(number) !== title) problems.push(`${repository}#${number} is lost or changed`);
  }
  if (titles.size !== rows.length) problems.push(`${repository}: an issue is listed twice`);
  if (total !== rows.length) problems.push(`${repository}: ${rows.length} issues listed, ${total} counted`);
  const { open_issues_count: open } = await getOne(server, `/repos/root/${repository}`);
  if (open !== rows.length)
    problems.push(`${repository}: ${rows.length} issues listed, the repository counts ${open}`);
  return problems;
}

async function getOne(server: ServerProcess, path: string): Promise<Row> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    headers: { authorization: `token ${server.token}` },
  });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Row;
}

async function checkComments(
  server: ServerProcess,
  known: Acknowledged,
  repository: string,
): Promise<string[]> {
  const { rows } = await getAll(server, `/repos/root/${repository}/issues/comments`);
  const texts = new Map(rows.map((row) => [Number(row.id), row.body]));
  return [...known.of(known.comments, repository)]
    .filter(([id, text]) => texts.get(id) !== text)
    .map(([id]) => `${repository}: comment ${id} is lost or changed`);
}

async function checkRefs(
  server: ServerProcess,
  known: Acknowledged,
  repository: string,
  work: string,
): Promise<string[]> {
  const problems: string[] = [];
  const clone = join(work, "clone.git");
  const url = `${server.url.replace("//", `//root:${server.token}@`)}/root/${repository}.git`;
  await run("git", ["clone", "-q", "--mirror", url, clone]);
  try {
    await run("git", ["-C", clone, "fsck", "--full", "--strict"]);
  } catch (error) {
    problems.push(`${repository}: fsck: ${(error as Error).message}`);
  }
  const { stdout } = await run("git", [
    "-C",
    clone,
    "for-each-ref",
    "--format=%(refname:short) %(objectname)",
  ]);
  const refs = new Map(stdout.split("\n").map((line) => line.split(" ") as [string, string]));
  for (const [branch, commit] of known.of(known.branches, repository)) {
    const actual = refs.get(branch);
    const isThere = actual !== undefined && (actual === commit || (await isAncestor(clone, commit, actual)));
    if (!isThere) problems.push(`${repository}: ${branch} should hold ${commit}, it is ${actual}`);
  }
  rmSync(clone, { recursive: true, force: true });
  return problems;
}

/** A push whose acknowledgement the kill cut off may have landed on top of the last known one. */
async function isAncestor(clone: string, ancestor: string, descendant: string): Promise<boolean> {
  try {
    await run("git", ["-C", clone, "merge-base", "--is-ancestor", ancestor, descendant]);
    return true;
  } catch {
    return false;
  }
}
