import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { git } from "#tests/git/pack/real-git";
import { workOnMirrors } from "#tests/support/mirror-work";
import { type ImportWorld, makeImportWorld } from "./world.ts";

let world: ImportWorld;
beforeAll(async () => {
  world = await makeImportWorld();
});
afterAll(() => world.api.stop());

describe("bundles that are refused whole, with the reason", () => {
  it("of the other object format", async () => {
    const place = await world.place({ format: "sha256" });
    const other = await world.place();
    const ended = await world.bring(place, await world.bundle(other.folder));
    expect(ended).toMatchObject({ status: "failed", message: expect.stringMatching(/sha1.*sha256/) });
  });

  it("of a pusher whose token has gone, or who may write no more, by the time it is taken in", async () => {
    const { api, alice, bob } = world;
    const place = await world.place();
    await api.call("PUT", `${place.path}/collaborators/bob`, { as: alice, body: { permission: "write" } });
    await world.upload(place, await world.bundle(place.folder), bob);
    const asked = world.call("POST", place, "/complete", { as: bob });
    while ((await world.call("GET", place, "", { as: bob })).json.status === "open");
    await api.call("DELETE", `${place.path}/collaborators/bob`, { as: alice });
    await workOnMirrors(api);
    await asked;
    expect(await world.refs(place)).toEqual([]);
  });
});

describe("refs that are refused, each in words, while others land (D-REFUSE)", () => {
  const reasonsOf = ({ refused }: { refused: { ref: string; message: string }[] }) =>
    Object.fromEntries(refused.map(({ ref, message }) => [ref, message]));

  it("a branch that would lose commits, a tag that would move", async () => {
    const place = await world.place();
    await git(place.folder, ["tag", "v1"]);
    await world.bring(place, await world.bundle(place.folder));
    const before = await world.refs(place);
    await git(place.folder, ["reset", "-q", "--hard", "HEAD~1"]);
    await world.commit(place.folder, 1, "another way");
    await git(place.folder, ["tag", "-f", "v1"]);
    const ended = await world.bring(place, await world.bundle(place.folder));
    expect(ended).toMatchObject({ status: "failed", landed: 0 });
    expect(reasonsOf(ended)).toEqual({
      "refs/heads/main": expect.stringContaining("not a fast-forward"),
      "refs/tags/v1": expect.stringContaining("is here already"),
    });
    expect(await world.refs(place)).toEqual(before);
  });
});
