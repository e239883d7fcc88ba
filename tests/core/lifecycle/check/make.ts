import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { findAccessById, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { createComment } from "#core/comment/comment";
import type { Forge } from "#core/forge";
import { editIssue } from "#core/issue/edit";
import { createIssue } from "#core/issue/issue";
import { issueIndex } from "#core/issue/issue.index";
import { checkRepository, repairFindings } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";
import { compact } from "#core/list-index/internal/compaction";
import { createRepository } from "#core/repository/create";
import { put, type TableKey, type Write } from "#core/table/write";
import { createToken } from "#core/token/token";
import { createUser } from "#core/user/create";
import { compactText } from "#core/word-index/compaction";
import { makeForge, type TestForge } from "#tests/support/forge";

/** A forge with an administrator who has a token and a repository with something of everything. */
export interface CheckedWorld {
  readonly test: TestForge;
  readonly forge: Forge;
  readonly actor: Actor;
  /** A commit; issues, comments and words, compacted and not. */
  makeRepository(): Promise<RepositoryAccess>;
  write(write: Write): Promise<void>;
  set(key: TableKey, values: Record<string, unknown>): Promise<void>;
  /** The first item of a run. */
  first(pk: string, prefix: string): Promise<TableKey & Readonly<Record<string, unknown>>>;
}

/** A fault: its planting, and the finding. */
export interface Violation {
  readonly what: string;
  readonly plant: () => Promise<unknown>;
  readonly invariants: readonly number[];
  /** Nothing says what would be right: it is reported, and left to people. */
  readonly isLeft?: boolean;
  /**
   * Needs a fresh repository: former violations have left something, or this one removes something that does not come
   * back.
   */
  readonly needsOwn?: boolean;
  /** Changes items that others need to be planted, or are found by. */
  readonly isAlone?: boolean;
  /** A look across repositories finds it: no check of a repository reads what it changes. */
  readonly isOfNoRepository?: boolean;
}

/**
 * Puts violations of different invariants together: one look finds them all, and their invariants tell which were
 * found. Those that leave something behind or disturb others stay alone, at the end.
 */
export function together(violations: readonly Violation[]): [what: string, Violation][] {
  const isAlone = (one: Violation) => (one.isAlone ?? one.needsOwn ?? one.isLeft) === true;
  const groups: Violation[][] = [];
  for (const violation of violations.filter((one) => !isAlone(one))) {
    const group = groups.find((members) => areApart([...members, violation]));
    if (group === undefined) groups.push([violation]);
    else group.push(violation);
  }
  const joined = groups.map((members) => ({
    what: members.map(({ what }) => what).join("; "),
    invariants: members.flatMap(({ invariants }) => invariants).sort((one, other) => one - other),
    isOfNoRepository: members.every((one) => one.isOfNoRepository === true),
    async plant() {
      for (const { plant } of members) await plant();
    },
  }));
  return [...joined, ...violations.filter(isAlone)].map((one) => [one.what, one]);
}

function areApart(violations: readonly Violation[]): boolean {
  const all = violations.flatMap(({ invariants }) => invariants);
  return new Set(all).size === all.length;
}

/** Starts one. */
export async function makeCheckedWorld(): Promise<CheckedWorld> {
  const test = await makeForge({ simulation: false });
  const { forge } = test;
  const account = { name: "alice", email: "a@example.com", password: "correct-horse-9", isAdmin: true };
  const actor = { user: await createUser(forge, account) };
  await createToken(forge, actor.user, { name: "one", scopes: ["all"] });
  let made = 0;
  const write = async (one: Write) => void (await forge.table.write(one));
  return {
    test,
    forge,
    actor,
    write,
    // As a whole, which the store lets pass: damage keeps no rule.
    set: async (key, values) =>
      write(put({ ...(await forge.table.get(key)), ...values, pk: key.pk, sk: key.sk })),
    async first(pk, prefix) {
      const [item] = await forge.table.queryAll({ pk, prefix });
      if (item === undefined) throw new Error(`nothing lies under ${pk} ${prefix}`);
      return item;
    },
    async makeRepository() {
      made += 1;
      const name = `checked-${made}`;
      const { id } = await createRepository(forge, actor, actor.user, { name, hasReadme: true });
      const access = await findAccessById(forge, actor, id);
      if (access === undefined) throw new Error("the repository is not there");
      await createIssue(forge, access, { title: "first words", body: "some text" }, actor);
      await createComment(forge, access, 1, "a remark", actor);
      await compactText(forge, { repositoryId: id, number: 1, commentId: 0 });
      await compact(forge, issueIndex(id));
      await createIssue(forge, access, { title: "second" }, actor);
      await editIssue(forge, access, 2, { isClosed: true, body: "edited" }, actor);
      return access;
    },
  };
}

/** The repository that the tests of a file damage and mend. */
export interface CheckedPlace {
  readonly world: CheckedWorld;
  /** Whole at the beginning of each test: the same again after the possible repairs. */
  readonly access: RepositoryAccess;
  id(): number;
  /** Takes a fresh repository for the rest of a test. */
  renew(): Promise<void>;
}

/** The place of a file's tests: made before them, stopped after them. `begin` makes its repositories. */
export function checkedPlace(
  begin = (world: CheckedWorld): Promise<RepositoryAccess> => world.makeRepository(),
): CheckedPlace {
  let world: CheckedWorld;
  let whole: RepositoryAccess;
  let access: RepositoryAccess;
  beforeAll(async () => {
    world = await makeCheckedWorld();
    whole = await begin(world);
  });
  beforeEach(() => {
    access = whole;
  });
  afterAll(() => world.test.stop());
  return {
    get world() {
      return world;
    },
    get access() {
      return access;
    },
    id: () => access.repository.id,
    async renew() {
      access = await begin(world);
    },
  };
}

/** The invariants that findings name, each once, in order. */
export const invariantsOf = (findings: readonly Finding[]): number[] =>
  [...new Set(findings.map(({ invariant }) => invariant))].sort((one, other) => one - other);

/** Repairs everything possible; answers the findings of a second check. */
export async function mended(
  forge: Forge,
  findings: readonly Finding[],
  check: () => Promise<readonly Finding[]>,
): Promise<{ left: number; found: number }> {
  const { left, outdated, failed } = await repairFindings(forge, findings);
  expect({ outdated, failed }).toEqual({ outdated: 0, failed: [] });
  return { left: left.length, found: (await check()).length };
}

/**
 * Plants a fault in a repository, and checks that exactly this is found and repaired, or left when nothing says what is
 * right.
 */
export async function findAndMend(
  forge: Forge,
  repositoryId: number,
  { plant, invariants, isLeft = false }: Violation,
): Promise<void> {
  await plant();
  const check = () => checkRepository(forge, repositoryId);
  const findings = await check();
  expect(invariantsOf(findings)).toEqual(invariants);
  const left = isLeft ? findings.length : 0;
  expect(await mended(forge, findings, check)).toEqual({ left, found: left });
}
