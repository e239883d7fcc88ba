import { expect } from "vitest";
import type { ObjectFormat, ObjectId } from "#core/git/format/object-format";
import { processPackCaches } from "#core/git/pack/pack-caches";
import { consolidate } from "#core/git/store/maintain/consolidate";
import type { ConsolidationBounds } from "#core/git/store/maintain/plan-consolidation";
import { sweepPacks } from "#core/git/store/maintain/sweep-packs";
import { commitPush } from "#core/git/store/push/commit-push";
import type { Root } from "#core/git/store/refs/refs.table";
import { openRepository, readRoot } from "#core/git/store/store";
import { createTable } from "#core/table";
import type { TestForge } from "#tests/support/forge";
import { type MadeCommit, makeCommit } from "../made-objects.ts";

/** So few packs that a test need not make many. */
export const narrow: ConsolidationBounds = {
  leastPacks: 4,
  mostPacks: 400,
  mostBytes: 2 ** 24,
  mostObjects: 10_000,
};

/** A repository into which a test pushes commit after commit. */
export class Pushed {
  readonly test: TestForge;
  readonly id: number;
  readonly format: ObjectFormat;
  tip: ObjectId | undefined;
  readonly commits: MadeCommit[] = [];

  constructor(test: TestForge, id: number, format: ObjectFormat = "sha1") {
    this.test = test;
    this.id = id;
    this.format = format;
  }

  /** A pack of three objects each time. */
  async push(count = 1): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      const commit = makeCommit(this.format, this.tip === undefined ? [] : [this.tip]);
      const change = { name: "refs/heads/main", new: commit.id, ...(this.tip && { old: this.tip }) };
      const outcome = await commitPush(this.test.forge, this.id, {
        pack: commit.pack,
        changes: [change],
        pusherId: 1,
      });
      expect(outcome).toMatchObject({ kind: "done", facts: {} });
      this.tip = commit.id;
      this.commits.push(commit);
    }
  }

  consolidate(bounds = narrow) {
    return consolidate(this.test.forge, this.id, { bounds });
  }

  sweep() {
    return sweepPacks(this.test.forge, this.id);
  }

  async root(): Promise<Root> {
    const root = await readRoot(this.test.forge, this.id);
    if (root === undefined) throw new Error("the repository is gone");
    return root;
  }

  /** Ids of the packs that lie in the bucket. */
  async stored(): Promise<string[]> {
    const ids: string[] = [];
    const prefix = `r/${this.id}/p/`;
    for await (const { key } of this.test.forge.blobs.list(prefix)) {
      if (key.endsWith(".pack")) ids.push(key.slice(prefix.length, -".pack".length));
    }
    return ids.sort();
  }

  async named(): Promise<string[]> {
    return (await this.root()).packs.map((pack) => pack.id).sort();
  }

  /** Reads every object that was pushed as another process would. */
  async readAll(): Promise<void> {
    processPackCaches.clear();
    const table = createTable({ client: this.test.direct, name: this.test.forge.table.name });
    const repository = await openRepository({ table, blobs: this.test.forge.blobs }, this.id);
    if (repository === undefined) throw new Error("the repository is gone");
    expect(repository.refs.find("refs/heads/main")?.id).toBe(this.tip);
    const packs = await repository.packs();
    for (const { pack, objects } of this.commits) {
      for (const [place, id] of pack.ids.entries()) {
        expect((await packs.read(id)).data.equals(objects[place]?.data ?? Buffer.alloc(0))).toBe(true);
      }
    }
  }
}
