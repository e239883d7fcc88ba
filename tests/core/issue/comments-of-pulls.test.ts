import { afterAll, beforeAll, expect, it } from "vitest";
import { createComment, removeComment } from "#core/comment/comment";
import { listRepositoryComments } from "#core/comment/list";
import { createIssue } from "#core/issue/issue";
import { removeIssue } from "#core/issue/removal/remove";
import { checkRepository } from "#core/lifecycle/check/check";
import { repositoryCountsWrite } from "#core/repository/counts";
import { makeForge, type TestForge } from "#tests/support/forge";
import { setIssue, setRepository } from "#tests/support/set-listed";
import { accessAgain, makeTracker } from "./make.ts";

let test: TestForge;
beforeAll(async () => {
  test = await makeForge();
});
afterAll(() => test.stop());

it("comments on pulls are counted apart, so that totals are those of what the caller may read (B-18, D-TOTAL)", async () => {
  const { forge } = test;
  const { access, actor } = await makeTracker(forge);
  const { id } = access.repository;
  for (const title of ["An issue", "A pull"]) await createIssue(forge, access, { title }, actor);
  await setIssue(forge, id, 2, { kind: "pull" });
  await forge.table.transact([repositoryCountsWrite(id, 1, { openIssues: -1, openPulls: 1 })]);
  const comment = (number: number) => createComment(forge, access, number, "A comment", actor);
  await comment(1);
  const [, last] = [await comment(2), await comment(2)];

  /** Rows and total for a caller who may read only these units. */
  const listed = async (...units: ("issues" | "pulls")[]) => {
    await setRepository(forge, id, { units: ["code", ...units] });
    const found = await accessAgain(forge, actor, id);
    const { items, total } = await listRepositoryComments(forge, found, {}, { page: 1, limit: 30 });
    return [items.map(({ issueNumber }) => issueNumber), total];
  };
  expect(await listed("issues")).toEqual([[1], 1]);
  expect(await listed("pulls")).toEqual([[2, 2], 2]);
  expect(await listed("issues", "pulls")).toEqual([[1, 2, 2], 3]);
  expect(await checkRepository(forge, id)).toEqual([]);

  await removeComment(forge, access, last.id, actor);
  expect(await listed("issues", "pulls")).toEqual([[1, 2], 2]);
  await removeIssue(forge, access, 2);
  expect(await listed("issues", "pulls")).toEqual([[1], 1]);
  expect(await listed("pulls")).toEqual([[], 0]);
});
