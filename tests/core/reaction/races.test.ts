import { afterAll, beforeAll, expect, it } from "vitest";
import { checkRepository } from "#core/check/check";
import * as comments from "#core/comment/comment";
import * as dependencies from "#core/dependency/dependency";
import type { Forge } from "#core/forge";
import * as issues from "#core/issue/issue";
import * as reactions from "#core/reaction/reaction";
import { makeForge, type TestForge } from "#tests/support/forge";
import { race as raceOn } from "#tests/support/race";
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

const open = () => issues.create(test.forge, tracker.access, { title: "An issue" }, tracker.actor);
const findings = () => checkRepository(test.forge, tracker.access.repository.id);

const race = (...verbs: ((forge: Forge) => Promise<unknown>)[]) => raceOn(test.forge, random, ...verbs);

it(`a reaction on a comment that is being deleted is refused, or goes with it (SEED=${random.seed})`, async () => {
  const { access, actor } = tracker;
  const { number } = await open();
  for (let order = 0; order < orders; order += 1) {
    const { id } = await comments.create(test.forge, access, number, "A comment", actor);
    await race(
      (forge) => reactions.create(forge, access, { commentId: id }, "heart", actor),
      (forge) => comments.remove(forge, access, id, actor),
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
      (forge) => reactions.create(forge, access, { number }, "heart", actor),
      (forge) => dependencies.create(forge, actor, order % 2 ? issue : on, order % 2 ? on : issue),
      (forge) => issues.subscribe(forge, access, number, actor.user.name, { isSubscribed: false, actor }),
      (forge) => issues.remove(forge, access, number),
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
      (forge) => dependencies.create(forge, actor, one, two),
      (forge) => dependencies.create(forge, actor, two, one),
    );
    const [first, second] = await Promise.all(
      [one, two].map((issue) => dependencies.list(test.forge, actor, issue)),
    );
    expect((first?.length ?? 0) + (second?.length ?? 0)).toBe(1);
  }
  expect(await findings()).toEqual([]);
});
