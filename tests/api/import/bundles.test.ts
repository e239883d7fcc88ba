import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lazy } from "#core/lazy";
import { refsOf } from "#tests/git/client/remotes";
import { git, gitText } from "#tests/git/pack/real-git";
import { type ImportWorld, makeImportWorld } from "./world.ts";

let world: ImportWorld;
beforeAll(async () => {
  world = await makeImportWorld();
});
afterAll(() => world.api.stop());

const rename = (bundle: Buffer, from: string, to: string): Buffer =>
  Buffer.from(bundle.toString("latin1").replace(from, to), "latin1");

describe("bundles of real git", () => {
  it.each([
    ["sha1", "2"],
    ["sha1", "3"],
    ["sha256", "3"],
  ] as const)("%s, version %s: the history, then one that rests on it", async (format, version) => {
    const place = await world.place({ format });
    const first = await world.bundle(place.folder, `--version=${version}`, "--all");
    expect(await world.bring(place, first)).toMatchObject({ status: "done", landed: 1 });
    await world.commit(place.folder, 2);
    const second = await world.bundle(place.folder, `--version=${version}`, "main", "^main~2");
    expect(await world.bring(place, second)).toMatchObject({ status: "done", landed: 1, message: "" });
    expect(await world.refs(place)).toEqual(await refsOf(place.folder));
  });
});

describe("bundles that are refused whole, with the reason", () => {
  /** A repository without refs, which no refused bundle changes, and a bundle. */
  const empty = lazy(async () => {
    const place = await world.place();
    return { place, made: await world.bundle(place.folder) };
  });
  const failed = async (bundle: (made: Buffer) => Buffer, reason: RegExp) => {
    const { place, made } = await empty();
    const ended = await world.bring(place, bundle(made));
    expect(ended).toMatchObject({ status: "failed", message: expect.stringMatching(reason), landed: 0 });
    expect(await world.refs(place)).toEqual([]);
  };

  it("cut off in its pack, in its header; with bytes behind it", async () => {
    await failed((made) => made.subarray(0, -30), /pack|end/);
    await failed((made) => made.subarray(0, 40), /cut off/);
    await failed((made) => Buffer.concat([made, Buffer.from("more")]), /pack/);
  });

  it("none at all; of a version or with a need unknown here; with a filter", async () => {
    await failed(() => Buffer.from("PK not a bundle\n"), /no bundle of version 2 or 3/);
    await failed((made) => rename(made, "# v2", "# v4"), /no bundle of version 2 or 3/);
    await failed((made) => rename(made, "# v2 git bundle\n", "# v3 git bundle\n@sorcery\n"), /@sorcery/);
    await failed(
      (made) => rename(made, "# v2 git bundle\n", "# v3 git bundle\n@filter=blob:none\n"),
      /filter/,
    );
    await failed(() => Buffer.alloc(200_000, "x"), /without an end|no bundle/);
  });

  it("one that rests on a commit that is not here, which it names", async () => {
    const place = await world.place({ commits: 3 });
    const absent = await gitText(place.folder, ["rev-parse", "main~1"]);
    const ended = await world.bring(place, await world.bundle(place.folder, "main", "^main~1"));
    expect(ended).toMatchObject({ status: "failed", message: expect.stringContaining(absent) });
  });
});

describe("refs that are refused, each in words, while others land (D-REFUSE)", () => {
  const reasonsOf = ({ refused }: { refused: { ref: string; message: string }[] }) =>
    Object.fromEntries(refused.map(({ ref, message }) => [ref, message]));

  it("refs of the service, and names that are none", async () => {
    const place = await world.place();
    for (const name of ["refs/pull/1/head", "refs/internal/x", "refs/for/main"]) {
      await git(place.folder, ["update-ref", name, "HEAD"]);
    }
    const ended = await world.bring(place, await world.bundle(place.folder));
    expect(ended).toMatchObject({ status: "done", landed: 1, refused_count: 3 });
    expect(ended.message).toMatch(/3 of 4 refs/);
    expect(reasonsOf(ended)).toEqual({
      "refs/pull/1/head": expect.stringContaining("kept by the service"),
      "refs/internal/x": expect.stringContaining("kept by the service"),
      "refs/for/main": expect.stringContaining("no branch here"),
    });
  });

  it("a protected branch", async () => {
    const { api, alice } = world;
    const place = await world.place();
    const rule = { rule_name: "main", enable_push: false };
    const made = await api.call("POST", `${place.path}/branch_protections`, { as: alice, body: rule });
    expect(made.status).toBe(201);
    await git(place.folder, ["branch", "topic"]);
    const ended = await world.bring(place, await world.bundle(place.folder));
    expect(ended).toMatchObject({ status: "done", landed: 1 });
    expect(reasonsOf(ended)).toEqual({ "refs/heads/main": expect.stringContaining("protected") });
  });
});
