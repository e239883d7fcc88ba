import { describe, expect, it } from "vitest";
import { followTags } from "#core/release/follow-tags";
import { git, gitText } from "#tests/git/pack/real-git";
import { taggedReleases } from "./tagged-releases.ts";

const { at, push, commit, shown, expectWhole } = taggedReleases();

describe("a release and its tag in git", () => {
  it("201 on a tag that git pushed; git fetches a tag that the API made (semantics §43.2)", async () => {
    const env = ["-c", "user.name=A", "-c", "user.email=a@x.test"];
    await git(at.folder, [...env, "tag", "-a", "v1", "-m", "One"]);
    await push("v1");
    const made = await at.world.make({ tag_name: "v1", target_commitish: "ignored" });
    expect([made.target_commitish, made.created_at]).toEqual(["ignored", "2023-11-14T22:13:20Z"]);
    await at.world.make({ tag_name: "v2" });
    await git(at.folder, ["fetch", "-q", "--tags"]);
    expect(await gitText(at.folder, ["rev-parse", "v2"])).toBe(at.world.head);
    await at.world.settle();
    await expectWhole();
  });

  it("becomes a draft at once when a push deletes its tag, and keeps its assets; its return publishes it (semantics §43.4)", async () => {
    const { id } = await at.world.make({ tag_name: "v1", name: "One" });
    const asset = await at.world.upload(id);
    await push("--delete", "v1");
    expect(await shown(id)).toMatchObject({ draft: true, name: "One", assets: [{ id: asset.id }] });
    expect([await at.world.counter(), await at.world.tags("", at.world.reader)]).toEqual([0, []]);
    expect((await shown(id, at.world.reader)).message).toContain("release does not exist");
    await at.world.settle();
    await expectWhole();
    const next = await commit("Next");
    await push("HEAD:refs/tags/v1");
    await at.world.settle();
    expect(await shown(id, at.world.reader)).toMatchObject({ draft: false, tag_name: "v1" });
    expect([await at.world.counter(), await at.world.tagged("v1")]).toEqual([1, next]);
    await expectWhole();
  });

  it("follows events in any order and twice: the present refs decide", async () => {
    const { id } = await at.world.make({ tag_name: "v1" });
    const change = { name: "refs/tags/v1", old: at.world.head };
    await push("--delete", "v1");
    await push("HEAD:refs/tags/v1");
    for (const one of [change, { name: "refs/tags/v1", new: at.world.head }, change, change]) {
      await followTags(at.world.api.forge, at.world.id, [one]);
    }
    expect([(await shown(id)).draft, await at.world.counter()]).toEqual([false, 1]);
    await push("--delete", "v1");
    for (const one of [{ name: "refs/tags/v1", new: at.world.head }, change]) {
      await followTags(at.world.api.forge, at.world.id, [one]);
    }
    expect([(await shown(id)).draft, await at.world.counter()]).toEqual([true, 0]);
    await at.world.settle();
    await expectWhole();
  });
});
