import { expect } from "vitest";
import { makeForge } from "#tests/support/forge";
import { finishJobs } from "#tests/support/jobs";
import { createRandom } from "#tests/support/random";
import { Guild, isRefused, type Model } from "./guild.ts";

/** Teams made meanwhile enter the model when they are found: their ids were not known before. */
function learn(model: Model, observed: Model): void {
  for (const [id, team] of Object.entries(observed.teams)) {
    const isNew =
      model.teams[Number(id)] === undefined && team.members.length + team.repositories.length === 0;
    if (isNew) model.teams[Number(id)] = team;
  }
}

/**
 * Random changes one after another, some of them with a crash in between: each is made or not, never by half, and
 * everybody's rights are those of the model at once. Jobs run now and then.
 */
export async function changeOneByOne(steps: number): Promise<void> {
  const world = await makeForge({ simulation: false });
  const random = createRandom();
  const guild = new Guild(world, random);
  const told: string[] = [`SEED=${random.seed}`];
  try {
    await guild.found();
    let model = await guild.observe();
    for (let step = 0; step < steps; step += 1) {
      const change = guild.draw();
      const crashes = random.chance(0.3);
      told.push(`${change.name}${crashes ? ", killed" : ""}`);
      const changed = structuredClone(model);
      const isAllowed = change.apply(changed);
      if (crashes) world.faults.crashAt(1 + random.integer(4), random.pick(["before", "after"] as const));
      const outcome = await isRefused(change.run()).catch((error: unknown) => {
        if (!world.faults.hasCrashed) throw error;
        return undefined;
      });
      world.faults.recover();
      const observed = await guild.observe();
      for (const one of [model, changed]) learn(one, observed);
      if (outcome !== undefined) {
        if (isAllowed !== "gone") expect(outcome, told.join("\n")).toBe(!isAllowed);
        expect(sorted(observed), told.join("\n")).toEqual(sorted(isAllowed === true ? changed : model));
      } else {
        expect([JSON.stringify(sorted(model)), JSON.stringify(sorted(changed))], told.join("\n")).toContain(
          JSON.stringify(sorted(observed)),
        );
      }
      model = observed;
      if (random.chance(0.1)) await finishJobs(world);
      if (step % 5 === 0) await guild.checkRights(model);
    }
    await finishJobs(world);
    await guild.checkMirrors();
    await guild.checkRights(model);
  } catch (error) {
    throw new Error(told.join("\n"), { cause: error });
  } finally {
    await world.stop();
  }
}

/** Random changes several at once, on a table that has conflicts: the mirrors agree after each round. */
export async function changeAtOnce(rounds: number): Promise<void> {
  const world = await makeForge();
  const random = createRandom();
  const guild = new Guild(world, random);
  try {
    await guild.found();
    for (let round = 0; round < rounds; round += 1) {
      await guild.observe();
      const changes = Array.from({ length: 4 }, () => guild.draw());
      await Promise.all(changes.map((change) => isRefused(change.run())));
      await finishJobs(world);
      await guild.checkMirrors();
    }
    await guild.checkRights(await guild.observe());
  } catch (error) {
    throw new Error(`SEED=${random.seed}`, { cause: error });
  } finally {
    await world.stop();
  }
}

/** Empty records and empty lists say the same; keys in a fixed order. */
const sorted = ({ teams, collaborators }: Model) => [
  Object.entries(teams),
  Object.entries(collaborators).filter(([, modes]) => Object.keys(modes).length > 0),
];
