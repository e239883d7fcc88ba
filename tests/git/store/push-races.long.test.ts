import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { commitPush } from "#core/git/store/push/commit-push";
import { openRepository } from "#core/git/store/store";
import { createTable } from "#core/table";
import { makeForge, type TestForge } from "#tests/support/forge";
import { makeCommit } from "./made-objects.ts";
import { pushesTo } from "./pushes.ts";

let made: TestForge;
beforeAll(async () => {
  made = await makeForge();
});
afterAll(() => made.stop());

const { create, update, checkWhole } = pushesTo(() => made);

describe("racing pushes", () => {
  it("to 20 branches: all land, and the log is contiguous", async () => {
    const { id, first } = await create();
    const rivals = Array.from({ length: 20 }, () => makeCommit("sha1", [first.id]));
    const outcomes = await Promise.all(
      rivals.map((commit, index) => update(id, `refs/heads/b${index}`, commit)),
    );
    expect(outcomes.every((outcome) => outcome.kind === "done" && outcome.facts !== undefined)).toBe(true);
    const repository = await checkWhole(id);
    expect(repository.root).toMatchObject({ v: 21, branches: 21 });
    expect(repository.root.e).toBe(22);
  });

  it("are seen by readers as one version each, never half", async () => {
    const { id, first } = await create();
    const pair = ["refs/heads/left", "refs/heads/right"];
    let current: string | undefined;
    let isWriting = true;
    const reader = (async () => {
      let reads = 0;
      while (isWriting) {
        const table = createTable({ client: made.direct, name: made.forge.table.name });
        const seen = await openRepository({ table, blobs: made.forge.blobs }, id);
        expect(seen?.refs.find("refs/heads/left")?.id).toBe(seen?.refs.find("refs/heads/right")?.id);
        reads += 1;
      }
      return reads;
    })();
    for (let round = 0; round < 15; round++) {
      const commit = makeCommit("sha1", [first.id]);
      const old = defined({ old: current });
      await commitPush(made.forge, id, {
        pack: commit.pack,
        changes: pair.map((name) => ({ name, new: commit.id, ...old })),
        pusherId: 1,
      });
      current = commit.id;
    }
    isWriting = false;
    expect(await reader).toBeGreaterThan(0);
  });
});
