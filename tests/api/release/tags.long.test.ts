import { describe, expect, it } from "vitest";
import { git } from "#tests/git/pack/real-git";
import { pushFiles, pushRef } from "#tests/support/code";
import { taggedReleases } from "./tagged-releases.ts";

const { at, push, shown, expectWhole } = taggedReleases();

describe("a release and its tag in git", () => {
  it("stays a draft that somebody wants as a draft, whatever happens to its tag", async () => {
    const wanted = await at.world.make({ tag_name: "v1", draft: true });
    await push("HEAD:refs/tags/v1");
    await at.world.settle();
    expect((await shown(wanted.id)).draft).toBe(true);
    const { id } = await at.world.make({ tag_name: "v2" });
    await push("--delete", "v2");
    await at.world.call("PATCH", `releases/${id}`, { draft: true, body: "Not yet" });
    await push("HEAD:refs/tags/v2");
    await at.world.settle();
    expect((await shown(id)).draft).toBe(true);
    expect((await at.world.call("PATCH", `releases/${id}`, { draft: false })).json.draft).toBe(false);
    await expectWhole();
  });

  it("is as old as a tag that moved, which the order of lists follows", async () => {
    const { api, owner, name, head: old } = at.world;
    await git(at.folder, ["tag", "nightly"]);
    await push("nightly");
    const { id } = await at.world.make({ tag_name: "nightly" });
    await at.world.call("POST", "tags", { tag_name: "v1" });
    await at.world.make({ tag_name: "v1" });
    expect(await at.world.tags()).toEqual(["v1", "nightly"]);
    const next = await pushFiles(api, owner, name, { files: { f: "2" }, seconds: 1_800_000_000 });
    await pushRef(api, owner, name, { ref: "refs/tags/nightly", id: next, old });
    expect(await shown(id)).toMatchObject({ draft: false, created_at: "2027-01-15T08:00:00Z" });
    expect([await at.world.tags(), await at.world.tagged("nightly")]).toEqual([["nightly", "v1"], next]);
    await at.world.settle();
    await expectWhole();
  });

  it("follows a push that deletes 12 tags, the last two in the worker", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `v${at}`);
    for (const tag_name of names) await at.world.make({ tag_name });
    await push("--delete", ...names);
    await at.world.settle();
    expect([await at.world.tags("?draft=false"), await at.world.counter()]).toEqual([[], 0]);
    await expectWhole();
  });

  it("is passed over by tags that no release can have: long ones, and such that are no text", async () => {
    await at.world.make({ tag_name: "v1" });
    const long = `refs/tags/${"t".repeat(240)}/${"t".repeat(240)}/${"t".repeat(240)}/${"t".repeat(240)}/x`;
    await push(`HEAD:${long}`);
    await push("--delete", long.slice("refs/tags/".length));
    await at.world.settle();
    expect((await at.world.call("GET", "tags")).json).toHaveLength(1);
    const name = encodeURIComponent("t".repeat(1_100));
    expect((await at.world.call("DELETE", `tags/${name}`)).status).toBe(404);
    await expectWhole();
  });
});
