import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { findOwnerAccess } from "#core/access/owner-access";
import { findAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { sweepLeftFiles } from "#core/attachment/sweep";
import { isForgeError, notFound } from "#core/errors";
import { createIssue } from "#core/issue/issue";
import {
  createIssueAttachment,
  listIssueAttachments,
  removeIssueAttachment,
} from "#core/issue-attachment/issue-attachment";
import { listJobs } from "#core/jobs/job";
import { runJob } from "#core/jobs/run";
import type { Finding } from "#core/lifecycle/check/finding";
import { usageHolderOf, usageWrites } from "#core/quota/usage";
import { createAsset } from "#core/release/asset";
import { createRelease } from "#core/release/create";
import { removeRelease } from "#core/release/remove";
import { createRepository } from "#core/repository/create";
import { editRepository } from "#core/repository/edit";
import { forkRepository } from "#core/repository/fork/fork";
import { consolidateRepository } from "#core/repository/maintenance";
import { pushToRepository } from "#core/repository/push";
import { removeRepository } from "#core/repository/removal/remove";
import { startTransfer } from "#core/repository/transfer/transfer";
import { jobKinds } from "#functions/workers/job-kinds";
import { makeCommit } from "#tests/core/repository/commits";
import type { TestApi } from "#tests/support/api";
import { findingsOf } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import type { Random } from "#tests/support/random";

const clients = 8;
const repositories = 12;

/** Refusals that a race may end with: what was changed or is gone meanwhile. */
const isRefused = (error: unknown): boolean =>
  (["not-found", "conflict", "invalid", "unavailable"] as const).some((kind) => isForgeError(error, kind));

/** Random operations on the repositories of a user and their two organizations, by eight clients at once. */
class DriftWorld {
  readonly #api: TestApi;
  readonly #random: Random;
  readonly #actor: Actor;
  /** Where each repository was last seen, by its place: its owner's name, and its own. */
  readonly #places: { owner: string; name: string }[] = [];
  #made = 0;
  readonly done = new Map<string, number>();

  constructor(api: TestApi, random: Random, actor: Actor) {
    this.#api = api;
    this.#random = random;
    this.#actor = actor;
  }

  async begin(): Promise<void> {
    for (let at = 0; at < repositories; at += 1) await this.#create(at);
  }

  /** One random operation, which may be refused because of others. */
  async act(): Promise<void> {
    await this.#play(...this.#random.pick(this.#operations));
  }

  /** Plays, alone, the kinds of operations of which the races let none through. */
  async actWhatIsMissing(): Promise<void> {
    for (const [name, operation] of this.#operations) {
      for (let tries = 0; tries < 50 && !this.done.has(name); tries += 1) await this.#play(name, operation);
    }
  }

  async #play(name: string, operation: (at: number) => Promise<void>): Promise<void> {
    const at = this.#random.integer(repositories);
    try {
      await operation(at);
      this.done.set(name, (this.done.get(name) ?? 0) + 1);
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
  }

  readonly #operations: readonly (readonly [string, (at: number) => Promise<void>])[] = [
    ...Array(4).fill(["push", (at: number) => this.#push(at)]),
    ...Array(6).fill(["attach", (at: number) => this.#attach(at)]),
    ...Array(3).fill(["detach", (at: number) => this.#detach(at)]),
    ...Array(4).fill(["hold", (at: number) => this.#hold(at)]),
    ...Array(2).fill(["release", (at: number) => this.#release(at)]),
    ...Array(2).fill(["visibility", (at: number) => this.#show(at)]),
    ...Array(3).fill(["transfer", (at: number) => this.#transfer(at)]),
    ["consolidation", (at: number) => this.#consolidate(at)],
    ["fork", (at: number) => this.#fork(at)],
    ["replacement", (at: number) => this.#replace(at)],
    ["job", () => this.#work()],
  ];

  async #access(at: number) {
    const { owner, name } = this.#places[at] as { owner: string; name: string };
    const access = await findAccess(this.#api.forge, this.#actor, owner, name);
    if (access === undefined) throw notFound("nothing there");
    return access;
  }

  async #create(at: number): Promise<void> {
    const { forge } = this.#api;
    this.#made += 1;
    const place = { owner: this.#random.pick(["olga", "red", "blue"]), name: `r${this.#made}` };
    const target = await findOwnerAccess(forge, this.#actor, place.owner);
    if (target === undefined) throw new Error("no owner");
    await createRepository(forge, this.#actor, target.owner, { name: place.name, hasReadme: true });
    this.#places[at] = place;
    await createIssue(forge, await this.#access(at), { title: "An issue" }, this.#actor);
  }

  async #push(at: number): Promise<void> {
    const { repository } = await this.#access(at);
    const { id, pack } = makeCommit({ message: `${randomUUID()}\n`.repeat(1 + this.#random.integer(30)) });
    const changes = [{ name: `refs/heads/${randomUUID()}`, new: id }];
    await pushToRepository(this.#api.forge, repository, this.#actor, { changes, pack });
  }

  #file() {
    const sizeBytes = 1 + this.#random.integer(1000);
    return { uuid: randomUUID(), name: "f.txt", sizeBytes, contentType: "text/plain" };
  }

  async #attach(at: number): Promise<void> {
    const target = { kind: "issue", number: 1, commentId: 0 } as const;
    const given = { file: this.#file(), target };
    await createIssueAttachment(this.#api.forge, await this.#access(at), { number: 1 }, given, this.#actor);
  }

  async #detach(at: number): Promise<void> {
    const access = await this.#access(at);
    const [first] = await listIssueAttachments(this.#api.forge, access, { number: 1 });
    if (first === undefined) return;
    await removeIssueAttachment(this.#api.forge, access, { number: 1 }, first.id, this.#actor);
  }

  /** As objects of LFS and files of packages come and go. */
  async #hold(at: number): Promise<void> {
    const { repository } = await this.#access(at);
    const holder = await usageHolderOf(this.#api.forge, repository.id);
    const name = this.#random.pick(["lfs", "packages"] as const);
    await this.#api.forge.table.transact(
      usageWrites([{ ...holder, name, bytes: this.#random.integer(100) }]),
    );
  }

  async #release(at: number): Promise<void> {
    const { forge } = this.#api;
    const access = await this.#access(at);
    const given = { tagName: randomUUID(), isDraft: true };
    const release = await createRelease(forge, access.repository, this.#actor, given);
    await createAsset(forge, release, this.#file(), this.#actor);
    if (this.#random.chance(0.5)) await removeRelease(forge, access, this.#actor, release.id);
  }

  async #show(at: number): Promise<void> {
    const { repository } = await this.#access(at);
    const isPrivate = !repository.isPrivate;
    await editRepository(this.#api.forge, this.#actor, repository, { isPrivate });
  }

  async #transfer(at: number): Promise<void> {
    const { repository } = await this.#access(at);
    const newOwner = this.#random.pick(["olga", "red", "blue"]);
    await startTransfer(this.#api.forge, this.#actor, repository, { newOwner });
    this.#places[at] = { owner: newOwner, name: repository.name };
  }

  async #consolidate(at: number): Promise<void> {
    const { repository } = await this.#access(at);
    await consolidateRepository.step(this.#api.forge, { repositoryId: repository.id }, undefined);
  }

  async #fork(at: number): Promise<void> {
    const { forge } = this.#api;
    const source = await this.#access(at);
    const target = await findOwnerAccess(forge, this.#actor, this.#random.pick(["olga", "red", "blue"]));
    if (target === undefined) throw new Error("no owner");
    this.#made += 1;
    const fork = await forkRepository(forge, this.#actor, source, target, `r${this.#made}`);
    this.#places[this.#random.integer(repositories)] = { owner: target.owner.name, name: fork.name };
  }

  async #replace(at: number): Promise<void> {
    const { repository } = await this.#access(at);
    await removeRepository(this.#api.forge, this.#actor, repository);
    await this.#create(at);
  }

  /** As a worker gets on with what the others have left, beside them. */
  async #work(): Promise<void> {
    const jobs = await listJobs(this.#api.forge);
    if (jobs.length > 0) await runJob(this.#api.forge, jobKinds, this.#random.pick(jobs).id, { budgetMs: 0 });
  }
}

/**
 * Plays so many operations by eight clients at once, the process killed at so many of their writes, and finishes the
 * work that was left; then cards and totals must say what there is.
 */
export async function playDrift(
  api: TestApi,
  random: Random,
  { operations, crashes }: { readonly operations: number; readonly crashes: number },
): Promise<void> {
  const olga = await api.makeUser({ name: "olga" });
  for (const username of ["red", "blue"]) await api.call("POST", "/orgs", { as: olga, body: { username } });
  const world = new DriftWorld(api, random, { user: olga.user });
  await world.begin();
  for (let crash = 0; crash < crashes; crash += 1) {
    await playRound(api, random, world, Math.ceil(operations / crashes));
    await finishJobs(api);
  }
  await world.actWhatIsMissing();
  await finishJobs(api);
  api.clock.advance(3_600_000);
  await sweepLeftFiles(api.forge);
  await finishJobs(api);
  // What the test holds of LFS and packages is of no noun: totals and cards must agree on it.
  const isHeld = ({ invariant, problem }: Finding) => invariant === 18 && /lfs|package/i.test(problem);
  const counted = (await findingsOf(api)).filter(({ invariant }) => [18, 43, 44].includes(invariant));
  expect(counted.filter((finding) => !isHeld(finding))).toEqual([]);
  expect([...world.done.keys()].length).toBe(11);
}

/** So many operations; the process is killed at one of their writes, and another one goes on with the rest of them. */
async function playRound(api: TestApi, random: Random, world: DriftWorld, operations: number): Promise<void> {
  let left = operations;
  const clientsWork = (isOver: () => boolean) =>
    Array.from({ length: clients }, async () => {
      while (!isOver()) {
        left -= 1;
        await world.act();
      }
    });
  api.faults.crashAt(1 + random.integer(operations), random.pick(["before", "after"] as const));
  const ended = await Promise.allSettled(clientsWork(() => api.faults.hasCrashed));
  const wasKilled = api.faults.hasCrashed;
  api.faults.recover();
  for (const one of ended) if (one.status === "rejected" && !wasKilled) throw one.reason;
  await Promise.all(clientsWork(() => left <= 0));
}
