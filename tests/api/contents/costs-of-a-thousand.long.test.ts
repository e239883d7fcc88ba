import { afterAll, beforeAll, describe } from "vitest";
import { openCode } from "#core/code/open";
import { fileMode } from "#core/git/format/tree";
import { packOfNew } from "#core/git/merge/new-objects";
import { writeCommit } from "#core/git/merge/write-commit";
import { editTree } from "#core/git/merge/write-tree";
import { pushToRepository } from "#core/repository/push";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { testCosts } from "./costs-suite.ts";

let api: TestApi;
let alice: Caller;

/** The content of a repository. */
interface Size {
  readonly commits: number;
  readonly branches: number;
  /** Commits that `main` has and the branch `base` lacks. */
  readonly ahead: number;
}

/** A repository with its history in one pack. */
async function makeLong(name: string, { commits, branches, ahead }: Size): Promise<void> {
  const id = await makeRepository(api, alice, name);
  const { history } = await openCode(api.forge, id);
  const ids: string[] = [];
  let tree: string | undefined;
  for (let at = 0; at < commits; at++) {
    const who = { name: "A", email: "a@example.com", seconds: 1_000 + at, timezone: "+0000" };
    const path = at % 10 === 0 ? "a/b/c/d/e" : `f/${at % 50}`;
    const version = { mode: fileMode, id: history.add("blob", Buffer.from(`${at}\n`)) };
    tree = await editTree(history, tree, new Map([[path, version]]));
    const parents = ids.slice(-1);
    ids.push(await writeCommit(history, { tree, parents, author: who, committer: who, message: `${at}\n` }));
  }
  const tip = ids.at(-1) as string;
  const places = Array.from({ length: branches }, (_, at) => [`b/${at}`, ids[commits - 1 - (at % commits)]]);
  const named = [["main", tip], ["base", ids[commits - 1 - ahead]], ...places] as [string, string][];
  const changes = named.map(([branch, commit]) => ({ name: `refs/heads/${branch}`, new: commit }));
  const place = { id, ownerId: alice.user.id };
  await pushToRepository(
    api.forge,
    place,
    { user: alice.user },
    { changes, pack: await packOfNew(history, [tip]) },
  );
}

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ name: "alice" });
  await makeLong("short", { commits: 60, branches: 60, ahead: 50 });
  await makeLong("long", { commits: 1_000, branches: 1_000, ahead: 500 });
});
afterAll(() => api.stop());

describe("what the code of a repository costs: the same of 60 and of 1,000 commits and branches", () => {
  testCosts(() => ({ api, as: alice, short: "short", long: "long" }));
});
