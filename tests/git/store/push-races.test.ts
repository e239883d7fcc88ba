import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commitPush } from "#core/git/store/push/commit-push";
import { logKey } from "#core/git/store/refs/refs.table";
import { changeRoot, openRepository, readRoot } from "#core/git/store/store";
import { createTable } from "#core/table";
import { makeForge, type TestForge } from "#tests/support/forge";
import { makePack } from "#tests/support/git/make-pack";
import { makeCommit } from "./made-objects.ts";
import { main, pushesTo } from "./pushes.ts";

let made: TestForge;
beforeAll(async () => {
  made = await makeForge();
});
afterAll(() => made.stop());

const { create, update, checkWhole } = pushesTo(() => made);

describe("racing pushes", () => {
  it("to one branch: exactly one of 12 wins, the others are told", async () => {
    const { id, first } = await create();
    const rivals = Array.from({ length: 12 }, () => makeCommit("sha1", [first.id]));
    const outcomes = await Promise.all(rivals.map((commit) => update(id, main, commit, first.id)));
    const winners = outcomes.filter((outcome) => outcome.kind === "done" && outcome.facts !== undefined);
    expect(winners).toHaveLength(1);
    for (const outcome of outcomes) {
      if (winners.includes(outcome) || outcome.kind !== "done") continue;
      expect(outcome.results[0]?.refusal).toMatch(/^moved to [0-9a-f]{12} meanwhile; fetch first$/);
    }
    const repository = await checkWhole(id);
    expect(repository.root.v).toBe(2);
    expect(repository.root.packs).toHaveLength(2);
  });

  it("beside writers of ROOT: both get through", async () => {
    const { id, first } = await create();
    const writers = Array.from({ length: 5 }, (_, index) =>
      changeRoot(made.forge, id, () => ({ changes: { head: `refs/heads/h${index}` } })),
    );
    const pushes = Array.from({ length: 5 }, (_, index) =>
      update(id, `refs/heads/b${index}`, makeCommit("sha1", [first.id])),
    );
    expect((await Promise.all(writers)).map(({ kind }) => kind)).toEqual(Array(5).fill("done"));
    expect((await Promise.all(pushes)).map(({ kind }) => kind)).toEqual(Array(5).fill("done"));
    expect((await checkWhole(id)).root.e).toBe(2 + 10);
  });
});

describe("reading refs", () => {
  it("says what is damaged when a log item stays away", async () => {
    const { id } = await create();
    await made.forge.table.removeAll([logKey(id, 1, 0)]);
    const table = createTable({ client: made.direct, name: made.forge.table.name });
    await expect(openRepository({ table, blobs: made.forge.blobs }, id)).rejects.toThrow(
      "lacks log item 1 of 1",
    );
  });
});

describe("whole reachability", () => {
  const isWhole = async (id: number) => (await readRoot(made.forge, id))?.isWhollyReachable;

  it("lasts over fast-forwards, merged branches that are deleted, and tags", async () => {
    const { id, first } = await create();
    const second = makeCommit("sha1", [first.id]);
    await update(id, "refs/heads/topic", second);
    const merge = makeCommit("sha1", [first.id, second.id]);
    await update(id, main, merge, first.id);
    const last = makeCommit("sha1", [merge.id]);
    await update(id, main, last, merge.id);
    await commitPush(made.forge, id, {
      changes: [{ name: "refs/heads/topic", old: second.id }],
      pusherId: 1,
    });
    expect(await isWhole(id)).toBe(true);
  });

  it("ends when a commit is dropped by force", async () => {
    const { id, first } = await create();
    await update(id, main, makeCommit("sha1"), first.id);
    expect(await isWhole(id)).toBe(false);
  });

  it("ends when an unmerged branch is deleted", async () => {
    const { id, first } = await create();
    const lost = makeCommit("sha1", [first.id]);
    await update(id, "refs/heads/topic", lost);
    expect(await isWhole(id)).toBe(true);
    await commitPush(made.forge, id, { changes: [{ name: "refs/heads/topic", old: lost.id }], pusherId: 1 });
    expect(await isWhole(id)).toBe(false);
  });

  it("ends when a pack brings what no ref leads to", async () => {
    const { id, first } = await create();
    const commit = makeCommit("sha1", [first.id]);
    const stray = makeCommit("sha1");
    await commitPush(made.forge, id, {
      pack: makePack("sha1", [...commit.objects, ...stray.objects]),
      changes: [{ name: main, old: first.id, new: commit.id }],
      pusherId: 1,
    });
    expect(await isWhole(id)).toBe(false);
  });
});
