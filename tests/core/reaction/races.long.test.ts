import { afterAll, beforeAll, expect, it } from "vitest";
import { createComment, removeComment } from "#core/comment/comment";
import { createDependency } from "#core/dependency/dependency";
import { listDependencies } from "#core/dependency/list";
import type { Forge } from "#core/forge";
import { createIssue } from "#core/issue/issue";
import { removeIssue } from "#core/issue/removal/remove";
import { subscribeToIssue } from "#core/issue/subscriptions";
import { checkRepository } from "#core/lifecycle/check/check";
import { createReaction } from "#core/reaction/reaction";
import { makeForge, type TestForge } from "#tests/support/forge";
import { race as raceOn } from "#tests/support/race/race";
import { createRandom } from "#tests/support/random";
import { makeTracker, type Tracker } from "../issue/make.ts";

const random = createRandom();
const orders = 10;
let test: TestForge;
let tracker: Tracker;
beforeAll(async () => {
  test = await makeForge({ simulation: false });
  tracker = await makeTracker(test.forge);
});
afterAll(() => test.stop());

const open = () => createIssue(test.forge, tracker.access, { title: "An issue" }, tracker.actor);
const findings = () => checkRepository(test.forge, tracker.access.repository.id);

const race = (...verbs: ((forge: Forge) => Promise<unknown>)[]) => raceOn(test.forge, random, ...verbs);

it(`a reaction on a comment that is being deleted is refused, or goes with it (SEED=${random.seed})`, async () => {
  const { access, actor } = tracker;
  const { number } = await open();
  for (let order = 0; order < orders; order += 1) {
    const { id } = await createComment(test.forge, access, number, "A comment", actor);
    await race(
      (forge) => createReaction(forge, access, { commentId: id }, "heart", actor),
      (forge) => removeComment(forge, access, id, actor),
    );
  }
  expect(await findings()).toEqual([]);
});

it(`what is laid at an issue that is being deleted is refused, or goes with it (SEED=${random.seed})`, async () => {
  const { access, actor } = tracker;
  const { number: other } = await open();
  for (let order = 0; order < orders; order += 1) {
    const { number } = await open();
    const [issue, on] = [
      { access, number },
      { access, number: other },
    ];
    await race(
      (forge) => createReaction(forge, access, { number }, "heart", actor),
      (forge) => createDependency(forge, actor, order % 2 ? issue : on, order % 2 ? on : issue),
      (forge) => subscribeToIssue(forge, access, number, actor.user.name, { isSubscribed: false, actor }),
      (forge) => removeIssue(forge, access, number),
    );
  }
  expect(await findings()).toEqual([]);
});

it(`two issues never wait for each other (SEED=${random.seed})`, async () => {
  const { access, actor } = tracker;
  for (let order = 0; order < orders; order += 1) {
    const [one, two] = [
      { access, number: (await open()).number },
      { access, number: (await open()).number },
    ];
    await race(
      (forge) => createDependency(forge, actor, one, two),
      (forge) => createDependency(forge, actor, two, one),
    );
    const [first, second] = await Promise.all(
      [one, two].map((issue) => listDependencies(test.forge, actor, issue)),
    );
    expect((first?.length ?? 0) + (second?.length ?? 0)).toBe(1);
  }
  expect(await findings()).toEqual([]);
});
