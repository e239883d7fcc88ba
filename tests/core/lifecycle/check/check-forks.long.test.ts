import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessById } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { listJobs, startJob } from "#core/jobs/job";
import { jobKey } from "#core/jobs/job.table";
import { runJob } from "#core/jobs/run";
import { checkRepository, checkTable, repairFindings } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";
import { createOrganization } from "#core/organization/create";
import type { Owner } from "#core/owner/owner";
import { ownerKey } from "#core/owner/owner.table";
import { createRepository } from "#core/repository/create";
import { editRepository } from "#core/repository/edit";
import { forkRepository } from "#core/repository/fork/fork";
import { followOwner, followVisibility } from "#core/repository/fork/fork-changes";
import { removeRepository } from "#core/repository/removal/remove";
import {
  cardKey,
  forkGuardKey,
  forkKey,
  forkPrefix,
  forksOf,
  type Repository,
  repositoryKey,
} from "#core/repository/repository.table";
import { startTransfer } from "#core/repository/transfer/transfer";
import { put, remove } from "#core/table/write";
import { createUser } from "#core/user/create";
import { type CheckedWorld, makeCheckedWorld, mended } from "./make.ts";

let world: CheckedWorld;
let bob: Actor;
beforeAll(async () => {
  world = await makeCheckedWorld();
  const account = { name: "bob", email: "b@example.com", password: "correct-horse-9" };
  bob = { user: await createUser(world.forge, account) };
});
afterAll(() => world.test.stop());

let made = 0;
async function makeSource(owner: Owner, isPrivate = false): Promise<Repository> {
  made += 1;
  return createRepository(world.forge, world.actor, owner, { name: `source-${made}`, isPrivate });
}

async function fork(source: Repository, by: Actor): Promise<Repository> {
  const access = await findAccessById(world.forge, by, source.id);
  if (access === undefined) throw new Error("the source is hidden");
  return forkRepository(
    world.forge,
    by,
    access,
    { owner: by.user, mayCreateRepositories: true },
    `of-${source.id}`,
  );
}

const read = async ({ id }: Repository) =>
  (await world.forge.table.get<Repository>(repositoryKey(id))) as Repository;
const check = ({ id }: Repository) => checkRepository(world.forge, id);
/** As if nobody had followed: only the repository says it. */
const hideAlone = async ({ id, ownerId }: Repository) => {
  for (const key of [repositoryKey(id), cardKey(ownerId, id)]) await world.set(key, { isPrivate: true });
};
/** Leaves a job as it is while its step rests at this place; answers how to end it. */
async function pending(kind: string, args: object, cursor?: object): Promise<() => Promise<unknown>> {
  const { id, write } = startJob(world.forge, kind, args);
  await world.write(write);
  if (cursor !== undefined) await world.set(jobKey(id), { cursor });
  return () => world.write(remove(jobKey(id)));
}
const jobsOf = async (kind: string) => (await listJobs(world.forge)).filter((job) => job.kind === kind);
async function finishFollowing(): Promise<void> {
  const kinds = {
    "follow-visibility": followVisibility,
    "follow-owner": followOwner,
  };
  for (;;) {
    const jobs = [...(await jobsOf("follow-owner")), ...(await jobsOf("follow-visibility"))];
    if (jobs.length === 0) return;
    for (const { id } of jobs) await runJob(world.forge, kinds, id, { budgetMs: 60_000 });
  }
}
const found = (fork: Repository, why: string) => ({
  invariant: 33,
  key: `R#${fork.id} / META`,
  problem: expect.stringContaining(why),
});

describe("a fork that is public", () => {
  it("is found and made private, and its own forks follow, where its source is private (semantics §5)", async () => {
    const source = await makeSource(world.actor.user);
    const first = await fork(source, bob);
    const second = await fork(first, world.actor);
    await hideAlone(source);
    const findings = await check(first);
    expect(findings).toMatchObject([found(first, "is private")]);
    expect(await check(second)).toEqual([]);
    expect(await mended(world.forge, findings, () => check(first))).toEqual({ left: 0, found: 0 });
    expect(await read(first)).toMatchObject({ isPrivate: true, v: first.v + 1 });
    // The job that the repair began is still to come to it.
    expect(await check(second)).toEqual([]);
    await finishFollowing();
    expect((await read(second)).isPrivate).toBe(true);
    expect([await check(first), await check(second)]).toEqual([[], []]);
  });

  it("is found by a look at the whole table", async () => {
    const source = await makeSource(world.actor.user);
    const made = await fork(source, bob);
    await hideAlone(source);
    const whole: Finding[] = [];
    for await (const finding of checkTable(world.forge)) if (finding.invariant === 33) whole.push(finding);
    expect(whole).toMatchObject([found(made, "is private")]);
    expect(await repairFindings(world.forge, whole)).toMatchObject({ mended: 1, left: [] });
    await finishFollowing();
  });

  it("is found when its source has a private owner; not when they are limited (semantics §24.4)", async () => {
    const organization = await createOrganization(world.forge, world.actor.user, { name: "theater" });
    const source = await makeSource(organization);
    const other = await fork(source, world.actor);
    await world.set(ownerKey(organization.id), { visibility: "limited" });
    expect(await check(other)).toEqual([]);
    await world.set(ownerKey(organization.id), { visibility: "private" });
    const findings = await check(other);
    expect(findings).toMatchObject([found(other, "private owner")]);
    expect(await mended(world.forge, findings, () => check(other))).toEqual({ left: 0, found: 0 });
    await finishFollowing();
  });

  it("is none where the source is public, is gone, or is one of which this is no fork any more", async () => {
    const source = await makeSource(world.actor.user);
    const made = await fork(source, bob);
    expect(await check(made)).toEqual([]);
    await hideAlone(source);
    await removeRepository(world.forge, world.actor, source);
    expect(await check(await read(made))).toEqual([]);
  });

  it("is left alone while a job is still to come to it, and found once that has passed it", async () => {
    const source = await makeSource(world.actor.user);
    const made = await fork(source, bob);
    await hideAlone(source);
    const following = { repositoryId: source.id };
    const owner = { ownerId: world.actor.user.id };
    const before = forkKey(source.id, made.id - 1).sk;
    const cardBefore = cardKey(world.actor.user.id, source.id - 1).sk;
    const isFoundDuring = async (kind: string, args: object, cursor?: object) => {
      const end = await pending(kind, args, cursor);
      const findings = await check(made);
      await end();
      return findings.length > 0;
    };
    expect(await isFoundDuring("follow-visibility", following)).toBe(false);
    expect(await isFoundDuring("follow-visibility", following, { after: before })).toBe(false);
    expect(
      await isFoundDuring("follow-visibility", following, { after: forkKey(source.id, made.id).sk }),
    ).toBe(true);
    expect(await isFoundDuring("follow-visibility", following, { starsAndWatches: { kind: "star" } })).toBe(
      true,
    );
    expect(await isFoundDuring("follow-visibility", { repositoryId: made.id })).toBe(true);
    expect(await isFoundDuring("follow-owner", owner)).toBe(false);
    expect(await isFoundDuring("follow-owner", owner, { after: cardBefore })).toBe(false);
    const past = { after: cardKey(world.actor.user.id, source.id).sk };
    expect(await isFoundDuring("follow-owner", owner, past)).toBe(true);
    expect(await isFoundDuring("follow-owner", { ownerId: bob.user.id })).toBe(true);
    await repairFindings(world.forge, await check(made));
  });

  it("stays as it is when its source is shown again before the repair", async () => {
    const source = await makeSource(world.actor.user);
    const made = await fork(source, bob);
    await hideAlone(source);
    const findings = await check(made);
    for (const key of [repositoryKey(source.id), cardKey(source.ownerId, source.id)])
      await world.set(key, { isPrivate: false });
    expect(await repairFindings(world.forge, findings)).toMatchObject({ mended: 0, outdated: 1, failed: [] });
    expect((await read(made)).v).toBe(made.v);
  });
});

it("a fork that is private is right whatever its source is", async () => {
  const source = await makeSource(world.actor.user);
  const made = await fork(source, bob);
  await editRepository(world.forge, world.actor, source, { isPrivate: true });
  await finishFollowing();
  expect((await read(made)).isPrivate).toBe(true);
  expect(await check(made)).toEqual([]);
  for (const key of [repositoryKey(source.id), cardKey(source.ownerId, source.id)])
    await world.set(key, { isPrivate: false });
  expect(await check(made)).toEqual([]);
});

it("finds nothing among more forks than follow at once, before the job and after it", async () => {
  const source = await makeSource(world.actor.user);
  // Before it in the list, whatever its id; of forks that are gone.
  for (let at = 10; at < 35; at += 1) {
    const key = { pk: forksOf(source.id).pk, sk: `${forkPrefix}!${at}` };
    await world.set(key, { forkId: at + 1_000_000, _v: 1 });
  }
  const made = await fork(source, bob);
  await editRepository(world.forge, world.actor, source, { isPrivate: true });
  const ofForks = async () => (await check(made)).filter(({ invariant }) => invariant === 33);
  expect([(await read(made)).isPrivate, await ofForks()]).toEqual([false, []]);
  await finishFollowing();
  expect([(await read(made)).isPrivate, await ofForks()]).toEqual([true, []]);
});

describe("the guard of an owner's forks", () => {
  const guardOf = (source: Repository, by: Actor) => forkGuardKey(source.id, by.user.id);
  const guardFinding = (source: Repository, by: Actor, problem: string) => {
    const { pk, sk } = guardOf(source, by);
    return { invariant: 34, key: `${pk} / ${sk}`, problem: expect.stringContaining(problem) };
  };
  const idsAt = async (source: Repository, by: Actor) => {
    const guard = await world.forge.table.get(guardOf(source, by));
    return guard === undefined ? [] : [guard.forkId, ...((guard.moreForkIds as number[] | undefined) ?? [])];
  };
  /** As a transfer left it that forgot the user's former fork. */
  async function makeOverwritten() {
    const source = await makeSource(world.actor.user);
    const [own, other] = [await fork(source, bob), await fork(source, world.actor)];
    const body = { newOwner: "bob" };
    const renamed = await editRepository(world.forge, world.actor, other, { name: `other-${made}` });
    await startTransfer(world.forge, world.actor, renamed, body);
    await world.write(put({ ...guardOf(source, bob), forkId: other.id, _v: 1 }));
    return { source, own, other };
  }

  it("is found where it lacks one of them, and names all then", async () => {
    const { source, own, other } = await makeOverwritten();
    const findings = await check(own);
    expect(findings).toMatchObject([guardFinding(source, bob, `does not name repository ${own.id},`)]);
    expect([await check(source), await check(other)]).toEqual([[], []]);
    expect(await mended(world.forge, findings, () => check(own))).toEqual({ left: 0, found: 0 });
    expect(await idsAt(source, bob)).toEqual([own.id, other.id]);
  });

  it("is found where it is missing, and is there again", async () => {
    const source = await makeSource(world.actor.user);
    const own = await fork(source, bob);
    await world.write(remove(guardOf(source, bob)));
    const findings = await check(own);
    expect(findings).toMatchObject([guardFinding(source, bob, "does not name")]);
    expect(await mended(world.forge, findings, () => check(own))).toEqual({ left: 0, found: 0 });
    expect(await idsAt(source, bob)).toEqual([own.id]);
    await expect(fork(source, bob)).rejects.toMatchObject({ code: "conflict" });
  });

  it("is found where it tells of what is gone, another's, or no fork of it, and goes with the last one", async () => {
    const source = await makeSource(world.actor.user);
    const [own, another] = [await fork(source, bob), await fork(source, world.actor)];
    const none = await makeSource(bob.user);
    const gone = 1_000_000;
    const moreForkIds = [another.id, none.id, gone];
    await world.set(guardOf(source, bob), { forkId: own.id, moreForkIds });
    const findings = await check(source);
    expect(findings).toMatchObject(
      moreForkIds.map((id) => guardFinding(source, bob, `tells of repository ${id}, which is no fork`)),
    );
    expect(await mended(world.forge, findings, () => check(source))).toEqual({ left: 0, found: 0 });
    expect(await idsAt(source, bob)).toEqual([own.id]);
    await world.set(guardOf(source, bob), { forkId: gone });
    await repairFindings(world.forge, [...(await check(source)), ...(await check(own))]);
    expect(await idsAt(source, bob)).toEqual([own.id]);
    await removeRepository(world.forge, bob, own);
    await world.write(put({ ...guardOf(source, bob), forkId: gone, _v: 1 }));
    await repairFindings(world.forge, await check(source));
    expect([await idsAt(source, bob), await check(source)]).toEqual([[], []]);
    expect((await fork(source, bob)).isFork).toBe(true);
  });

  it("stays as it is when the forge has mended it before the repair, or the source is being deleted", async () => {
    const { source, own, other } = await makeOverwritten();
    const findings = await check(own);
    await world.write(put({ ...guardOf(source, bob), forkId: own.id, moreForkIds: [other.id], _v: 1 }));
    expect(await repairFindings(world.forge, findings)).toMatchObject({ mended: 0, outdated: 1, failed: [] });
    await world.write(put({ ...guardOf(source, bob), forkId: other.id, _v: 1 }));
    await removeRepository(world.forge, world.actor, source);
    expect(await repairFindings(world.forge, findings)).toMatchObject({ mended: 0, outdated: 1, failed: [] });
  });
});
