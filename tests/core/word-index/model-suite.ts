import { afterAll, beforeAll, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { makeForge, type TestForge } from "#tests/support/forge";
import { createRandom } from "#tests/support/random";
import { makeTracker } from "../issue/make.ts";
import { WordIndexModel } from "./model.ts";

const isMeaningful = ({ report: { crashes, edits, found } }: WordIndexModel): boolean =>
  Math.min(crashes, edits, found) > 0;

/** The test of the word index against a plain search, in so many steps. */
export function modelSuite(steps: number): void {
  let test: TestForge;
  beforeAll(async () => {
    test = await makeForge();
  });
  afterAll(() => test.stop());

  const random = createRandom();
  it(`D-SEARCH: finds what stands in the texts, whatever edits, compactions, rivals and crashes do (seed ${random.seed})`, async () => {
    const stepsPerRepository = 100;
    for (let done = 0; done < steps; done += stepsPerRepository) {
      const model = new WordIndexModel(test, await makeTracker(test.forge), random);
      const least = Math.min(steps - done, stepsPerRepository);
      // What is killed depends on the order in which the machine answers: steps are added until something was.
      for (let step = 0; step < least || (!isMeaningful(model) && step < 10 * least); step += 1)
        await model.step();
      const { posted, expected, waiting } = await model.finish();
      expect(posted).toEqual(expected);
      expect(waiting).toBe(0);
      expect(await checkRepository(test.forge, model.repositoryId)).toEqual([]);
      expect(isMeaningful(model)).toBe(true);
    }
  });
}
