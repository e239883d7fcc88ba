import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { followTags } from "#core/release/follow-tags";
import { type ServedGit, serveGit } from "#tests/api/repository/serve-git";
import { git, gitText, temporaryFolder } from "#tests/git/pack/real-git";
import { pushFiles, pushRef } from "#tests/support/code";
import { type ReleaseWorld, startReleases } from "./world.ts";

let world: ReleaseWorld;
let served: ServedGit;
let folder = "";
beforeAll(async () => {
  world = await startReleases();
  served = await serveGit(world.api);
});
beforeEach(async () => {
  await world.begin();
  folder = await temporaryFolder();
  await git(folder, ["clone", "-q", served.url(`olga/${world.name}`, world.owner), "."]);
});
afterAll(async () => {
  await served.stop();
  await world.api.stop();
});

const push = (...refs: string[]) => git(folder, ["push", "-q", "-f", "origin", ...refs]);
const commit = async (message: string) => {
  await git(folder, ["commit", "-q", "--allow-empty", "-m", message]);
  return gitText(folder, ["rev-parse", "HEAD"]);
};
const shown = async (id: number, as = world.owner) =>
  (await world.call("GET", `releases/${id}`, undefined, as)).json;
const expectWhole = async () => expect(await checkRepository(world.api.forge, world.id)).toEqual([]);

describe("a release and its tag in git", () => {
  it("201 on a tag that git pushed; git fetches a tag that the API made (semantics §43.2)", async () => {
    const env = ["-c", "user.name=A", "-c", "user.email=a@x.test"];
    await git(folder, [...env, "tag", "-a", "v1", "-m", "One"]);
    await push("v1");
    const made = await world.make({ tag_name: "v1", target_commitish: "ignored" });
    expect([made.target_commitish, made.created_at]).toEqual(["ignored", "2023-11-14T22:13:20Z"]);
    await world.make({ tag_name: "v2" });
    await git(folder, ["fetch", "-q", "--tags"]);
    expect(await gitText(folder, ["rev-parse", "v2"])).toBe(world.head);
    await world.settle();
    await expectWhole();
  });

  it("becomes a draft at once when a push deletes its tag, and keeps its assets; its return publishes it (semantics §43.4)", async () => {
    const { id } = await world.make({ tag_name: "v1", name: "One" });
    const asset = await world.upload(id);
    await push("--delete", "v1");
    expect(await shown(id)).toMatchObject({ draft: true, name: "One", assets: [{ id: asset.id }] });
    expect([await world.counter(), await world.tags("", world.reader)]).toEqual([0, []]);
    expect((await shown(id, world.reader)).message).toContain("release does not exist");
    await world.settle();
    await expectWhole();
    const next = await commit("Next");
    await push("HEAD:refs/tags/v1");
    await world.settle();
    expect(await shown(id, world.reader)).toMatchObject({ draft: false, tag_name: "v1" });
    expect([await world.counter(), await world.tagged("v1")]).toEqual([1, next]);
    await expectWhole();
  });

  it("stays a draft that somebody wants as a draft, whatever happens to its tag", async () => {
    const wanted = await world.make({ tag_name: "v1", draft: true });
    await push("HEAD:refs/tags/v1");
    await world.settle();
    expect((await shown(wanted.id)).draft).toBe(true);
    const { id } = await world.make({ tag_name: "v2" });
    await push("--delete", "v2");
    await world.call("PATCH", `releases/${id}`, { draft: true, body: "Not yet" });
    await push("HEAD:refs/tags/v2");
    await world.settle();
    expect((await shown(id)).draft).toBe(true);
    expect((await world.call("PATCH", `releases/${id}`, { draft: false })).json.draft).toBe(false);
    await expectWhole();
  });

  it("is as old as a tag that moved, which the order of lists follows", async () => {
    const { api, owner, name, head: old } = world;
    await git(folder, ["tag", "nightly"]);
    await push("nightly");
    const { id } = await world.make({ tag_name: "nightly" });
    await world.call("POST", "tags", { tag_name: "v1" });
    await world.make({ tag_name: "v1" });
    expect(await world.tags()).toEqual(["v1", "nightly"]);
    const next = await pushFiles(api, owner, name, { files: { f: "2" }, seconds: 1_800_000_000 });
    await pushRef(api, owner, name, { ref: "refs/tags/nightly", id: next, old });
    expect(await shown(id)).toMatchObject({ draft: false, created_at: "2027-01-15T08:00:00Z" });
    expect([await world.tags(), await world.tagged("nightly")]).toEqual([["nightly", "v1"], next]);
    await world.settle();
    await expectWhole();
  });

  it("follows events in any order and twice: the present refs decide", async () => {
    const { id } = await world.make({ tag_name: "v1" });
    const change = { name: "refs/tags/v1", old: world.head };
    await push("--delete", "v1");
    await push("HEAD:refs/tags/v1");
    for (const one of [change, { name: "refs/tags/v1", new: world.head }, change, change]) {
      await followTags(world.api.forge, world.id, [one]);
    }
    expect([(await shown(id)).draft, await world.counter()]).toEqual([false, 1]);
    await push("--delete", "v1");
    for (const one of [{ name: "refs/tags/v1", new: world.head }, change]) {
      await followTags(world.api.forge, world.id, [one]);
    }
    expect([(await shown(id)).draft, await world.counter()]).toEqual([true, 0]);
    await world.settle();
    await expectWhole();
  });

  it("follows a push that deletes 12 tags, the last two in the worker", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `v${at}`);
    for (const tag_name of names) await world.make({ tag_name });
    await push("--delete", ...names);
    await world.settle();
    expect([await world.tags("?draft=false"), await world.counter()]).toEqual([[], 0]);
    await expectWhole();
  });

  it("is passed over by tags that no release can have: long ones, and such that are no text", async () => {
    await world.make({ tag_name: "v1" });
    const long = `refs/tags/${"t".repeat(240)}/${"t".repeat(240)}/${"t".repeat(240)}/${"t".repeat(240)}/x`;
    await push(`HEAD:${long}`);
    await push("--delete", long.slice("refs/tags/".length));
    await world.settle();
    expect((await world.call("GET", "tags")).json).toHaveLength(1);
    const name = encodeURIComponent("t".repeat(1_100));
    expect((await world.call("DELETE", `tags/${name}`)).status).toBe(404);
    await expectWhole();
  });
});
