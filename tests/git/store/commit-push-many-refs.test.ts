import { describe, expect, it } from "vitest";
import { commitPushes, landed, manyRefs } from "./commit-pushes.ts";
import { makeCommit } from "./made-objects.ts";

const on = commitPushes();

describe("a push of many refs", () => {
  it("lands 5,000 refs in one push", async () => {
    const id = await on.create();
    const commit = makeCommit("sha1");
    const facts = landed(await on.push(id, { pack: commit.pack, changes: manyRefs(5_000, commit.id) }));
    expect(facts.after.root.branches).toBe(5_000);
    expect(await on.coldRefs(id)).toHaveLength(5_000);
  });
});
