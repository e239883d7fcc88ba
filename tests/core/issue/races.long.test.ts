import { afterAll, beforeAll, expect, it } from "vitest";
import { createComment } from "#core/comment/comment";
import { createDependency } from "#core/dependency/dependency";
import { listDependencies } from "#core/dependency/list";
import type { Forge } from "#core/forge";
import { getIssue } from "#core/issue/change/change";
import { editIssue, type IssueChanges } from "#core/issue/edit";
import { createIssue } from "#core/issue/issue";
import {
  addIssueLabels,
  issueLabelsOf,
  removeIssueLabels,
  replaceIssueLabels,
} from "#core/issue/labels/labels";
import type { NewIssue } from "#core/issue/new-issue";
import { removeIssue } from "#core/issue/removal/remove";
import { createLabel, removeLabel } from "#core/label/label";
import { checkRepository } from "#core/lifecycle/check/check";
import { createMilestone, editMilestone, removeMilestone } from "#core/milestone/milestone";
import { makeForge, type TestForge } from "#tests/support/forge";
import { race as raceOn } from "#tests/support/race/race";
import { createRandom } from "#tests/support/random";
import { labelsTold, leftBy, makeLabels, makeTracker, stored, type Tracker } from "./make.ts";

const random = createRandom();
const orders = 3;
let test: TestForge;
let tracker: Tracker;
beforeAll(async () => {
  test = await makeForge({ simulation: false });
  tracker = await makeTracker(test.forge);
});
afterAll(() => test.stop());

const race = (...verbs: ((forge: Forge) => Promise<unknown>)[]) => raceOn(test.forge, random, ...verbs);
const open = (given: Partial<NewIssue> = {}) =>
  createIssue(test.forge, tracker.access, { title: "An issue", ...given }, tracker.actor);
const findings = () => checkRepository(test.forge, tracker.access.repository.id);
const title = { title: "by another" };

it(`a comment on an issue that is being deleted is refused, or goes with it; counts stay exact (SEED=${random.seed})`, async () => {
  const { access, actor } = tracker;
  for (let order = 0; order < orders; order += 1) {
    const { number } = await open();
    await race(
      (forge) => createComment(forge, access, number, "A comment", actor),
      (forge) => editIssue(forge, access, number, title, actor),
      (forge) => removeIssue(forge, access, number),
    );
    await expect(getIssue(test.forge, access, number)).rejects.toThrow("does not exist");
  }
  expect(await findings()).toEqual([]);
});

it(`a label that is deleted while issues get it is on none that is shown (SEED=${random.seed})`, async () => {
  const { access, actor } = tracker;
  const parent = { kind: "repository", id: access.repository.id } as const;
  const { number } = await open();
  for (let order = 0; order < orders; order += 1) {
    const { id } = await createLabel(test.forge, parent, { name: `label ${order}`, color: "aabbcc" });
    await race(
      (forge) => addIssueLabels(forge, access, number, [id], { actor }),
      (forge) => removeLabel(forge, parent, id),
    );
    const issue = await getIssue(test.forge, access, number);
    expect(await issueLabelsOf(test.forge, access, issue)).toEqual([]);
  }
  expect(await findings()).toEqual([]);
});

it(`of two changes of more labels than one transaction tells of one is the last, and whole (SEED=${random.seed})`, async () => {
  const { access, actor } = tracker;
  const { id } = access.repository;
  for (let order = 0; order < orders; order += 1) {
    const [first = [], ones = [], others = []] = [
      await makeLabels(test.forge, id, 50),
      await makeLabels(test.forge, id, 60),
      await makeLabels(test.forge, id, 45),
    ];
    const [extra = 0, lost = 0] = await makeLabels(test.forge, id, 2);
    const { number } = await open({ labelIds: first });
    const by = { actor };
    let replaced = 0;
    const replace = (ids: readonly number[]) => async (forge: Forge) => {
      await replaceIssueLabels(forge, access, number, ids, by);
      replaced += 1;
    };
    await race(
      replace(ones),
      replace([...others, extra, lost]),
      (forge) => createComment(forge, access, number, "A comment", actor),
      (forge) => removeIssueLabels(forge, access, number, extra, by),
      (forge) => removeLabel(forge, { kind: "repository", id }, lost),
    );
    const { issue, entries, rows } = await stored(test.forge, id, number);
    const carried = await issueLabelsOf(test.forge, access, issue ?? { labelIds: [] });
    const left = carried.map((label) => label.id).filter((one) => one !== extra);
    // A request that gives up because of others (Conflict) may have come half way.
    if (replaced === 2) expect([ones, others]).toContainEqual(left);
    // A label that was deleted meanwhile is removed without an entry.
    const told = labelsTold(entries).filter((one) => Math.abs(one) !== lost);
    expect(leftBy(told)).toEqual(issue?.labelIds.filter((one) => one !== lost));
    expect(rows).toHaveLength(entries.length);
  }
  expect(await findings()).toEqual([]);
});

it(`a milestone counts what it has, whatever is given, closed, moved and deleted at once (SEED=${random.seed})`, async () => {
  const { access, actor } = tracker;
  const { id: repositoryId } = access.repository;
  for (let order = 0; order < orders; order += 1) {
    const [one, other] = [
      await createMilestone(test.forge, repositoryId, { title: `one ${order}` }),
      await createMilestone(test.forge, repositoryId, { title: `other ${order}` }),
    ];
    const given = { milestoneId: one.id };
    const numbers = [(await open(given)).number, (await open(given)).number, (await open()).number] as const;
    const edit = (number: number, changes: IssueChanges) => (forge: Forge) =>
      editIssue(forge, access, number, changes, actor);
    await race(
      edit(numbers[0], { isClosed: true }),
      edit(numbers[1], { milestoneId: other.id }),
      edit(numbers[2], { milestoneId: one.id, isClosed: true }),
      (forge) => editMilestone(forge, repositoryId, one.id, { isClosed: true }),
      ...(order % 2 === 0 ? [] : [(forge: Forge) => removeMilestone(forge, repositoryId, other.id)]),
    );
  }
  expect(await findings()).toEqual([]);
});

it(`issues never wait for each other in a circle of four (SEED=${random.seed})`, async () => {
  const { access, actor } = tracker;
  const wait = (from: number, on: number) => (forge: Forge) =>
    createDependency(forge, actor, { access, number: from }, { access, number: on });
  for (let order = 0; order < orders; order += 1) {
    const [a, b, c, d] = [await open(), await open(), await open(), await open()].map(({ number }) => number);
    if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error("four");
    await race(wait(a, b), wait(c, d), wait(b, c), wait(d, a));
    const waiting = await Promise.all(
      [a, b, c, d].map((number) => listDependencies(test.forge, actor, { access, number })),
    );
    expect(waiting.flat()).toHaveLength(3);
  }
  expect(await findings()).toEqual([]);
});
