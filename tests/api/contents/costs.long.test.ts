import { afterAll, beforeAll, describe } from "vitest";
import { extendGraph } from "#core/git/store/commit-graph/extend-graph";
import { serveGit } from "#tests/api/repository/serve-git";
import { bareRepository, git } from "#tests/git/pack/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { testCosts } from "./costs-suite.ts";

let api: TestApi;
let alice: Caller;

/** A stream for `git fast-import`: a commit for each line of history, each of one file of many. */
function importOf(commits: number, ahead: number): string {
  const parts: string[] = [];
  for (let at = 0; at < commits; at++) {
    const who = `A <a@example.com> ${1_000 + at} +0000`;
    const path = at % 10 === 0 ? "a/b/c/d/e" : `f/${at % 50}`;
    parts.push(`commit refs/heads/main\nmark :${at + 1}\nauthor ${who}\ncommitter ${who}\ndata 2\n.\n\n`);
    parts.push(`M 100644 inline ${path}\ndata <<E\n${at}\nE\n\n`);
  }
  return `${parts.join("")}reset refs/heads/base\nfrom :${commits - ahead}\n\n`;
}

async function makeLong(name: string, commits: number): Promise<void> {
  const repositoryId = await makeRepository(api, alice, name);
  const folder = await bareRepository("sha1", "file");
  await git(folder, ["fast-import", "--quiet"], importOf(commits, 500));
  const served = await serveGit(api);
  await git(folder, ["push", "-q", served.url(`alice/${name}`, alice), "--all"]);
  await served.stop();
  while (!("done" in (await extendGraph(api.forge, { repositoryId }))));
}

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ name: "alice" });
  await makeLong("short", 1_000);
  await makeLong("long", 50_000);
}, 300_000);
afterAll(() => api.stop());

describe("what the code of a repository costs: the same of 1,000 and of 50,000 commits", () => {
  testCosts(() => ({ api, as: alice, short: "short", long: "long" }));
});
