import { expect } from "vitest";
import { commitPush } from "#core/git/store/push/commit-push";
import { newRoot, openRepository } from "#core/git/store/store";
import { createTable } from "#core/table";
import type { TestForge } from "#tests/support/forge";
import { type MadeCommit, makeCommit } from "./made-objects.ts";

export const main = "refs/heads/main";

/** Pushes of made commits into repositories of a test's forge. */
export interface Pushes {
  /** A repository of SHA-1 with one commit on its branch `main`. */
  create(): Promise<{ id: number; first: MadeCommit }>;
  /** Pushes a commit as the new value of a ref, however long it takes; without `old` the ref must not exist. */
  update(
    id: number,
    name: string,
    commit: MadeCommit,
    old?: string,
    budgetMs?: number,
  ): ReturnType<typeof commitPush>;
  /** Reads the repository as another process would, and checks that the log has no hole and every ref its object. */
  checkWhole(id: number): Promise<NonNullable<Awaited<ReturnType<typeof openRepository>>>>;
}

/** The forge is asked for when a push is made, as hooks make it. */
export function pushesTo(made: () => TestForge): Pushes {
  let lastId = 10_000;

  const update: Pushes["update"] = (id, name, commit, old, budgetMs = Number.POSITIVE_INFINITY) =>
    commitPush(made().forge, id, {
      pack: commit.pack,
      changes: [{ name, new: commit.id, ...(old !== undefined && { old }) }],
      pusherId: 1,
      budgetMs,
    });

  return {
    update,

    async create() {
      const id = ++lastId;
      await made().forge.table.write(newRoot(id, { format: "sha1", defaultBranch: "main" }));
      const first = makeCommit("sha1");
      await update(id, main, first);
      return { id, first };
    },

    async checkWhole(id) {
      const { forge, direct } = made();
      const table = createTable({ client: direct, name: forge.table.name });
      const repository = await openRepository({ table, blobs: forge.blobs }, id);
      if (repository === undefined) throw new Error("no repository");
      const packs = await repository.packs();
      for (const entry of repository.refs.entries) {
        const commit = await packs.read(entry.id);
        expect(commit.type).toBe("commit");
      }
      expect(repository.root.branches).toBe(repository.refs.list("refs/heads/").length);
      return repository;
    },
  };
}
