import { afterAll, beforeAll } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { commitPush } from "#core/git/store/push/commit-push";
import type { PushFacts, PushOutcome, PushRequest } from "#core/git/store/push/push";
import { newRoot, openRepository } from "#core/git/store/store";
import { createTable } from "#core/table";
import { makeForge, type TestForge } from "#tests/support/forge";

export const main = "refs/heads/main";
export const topic = "refs/heads/topic";

/** Pushes into repositories of a test's forge, and what they leave. */
export interface CommitPushes {
  readonly made: TestForge;
  create(format?: ObjectFormat): Promise<number>;
  push(id: number, request: Partial<PushRequest>): Promise<PushOutcome>;
  objectsOf(id: number): Promise<string[]>;
  /** The refs as an instance reads them that has never seen the repository. */
  coldRefs(id: number): Promise<readonly { readonly name: string; readonly id: string }[]>;
}

/** Starts the forge, and stops it with the file that asks. */
export function commitPushes(): CommitPushes {
  let made: TestForge;
  let lastId = 100;
  beforeAll(async () => {
    made = await makeForge();
  });
  afterAll(() => made.stop());
  return {
    get made() {
      return made;
    },
    async create(format = "sha1") {
      const id = ++lastId;
      await made.forge.table.write(newRoot(id, { format, defaultBranch: "main" }));
      return id;
    },
    push: (id, request) =>
      commitPush(made.forge, id, {
        ...{ changes: [], pusherId: 7, budgetMs: Number.POSITIVE_INFINITY },
        ...request,
      }),
    async objectsOf(id) {
      const keys: string[] = [];
      for await (const { key } of made.forge.blobs.list(`r/${id}/`)) keys.push(key);
      return keys;
    },
    async coldRefs(id) {
      const table = createTable({ client: made.direct, name: made.forge.table.name });
      return (await openRepository({ table, blobs: made.forge.blobs }, id))?.refs.entries ?? [];
    },
  };
}

/** The facts of a push that has landed. */
export function landed(outcome: PushOutcome): PushFacts {
  if (outcome.kind !== "done" || outcome.facts === undefined) throw new Error(JSON.stringify(outcome));
  return outcome.facts;
}

/** Why each ref was refused; without results the kind of the outcome. */
export const refusals = (outcome: PushOutcome) =>
  outcome.kind === "done" ? outcome.results.map(({ refusal }) => refusal) : [outcome.kind];

/** Their names are told apart by their beginning, since each is compared with others. */
export const manyRefs = (count: number, tip: string) =>
  Array.from({ length: count }, (_, index) => ({
    name: `refs/heads/${index}-many-${"x".repeat(120)}`,
    new: tip,
  }));
