import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lfsPointerFile } from "#core/lfs/pointer";
import { commitOn, openPull } from "#tests/api/pull/make";
import { pushFiles } from "#tests/support/code";
import { findingsOf } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { killedAtEach } from "#tests/support/race/killed-at-each";
import { type LfsWorld, type Named, named, startLfs } from "./world.ts";

/*
 * Objects come along with the commits that name them, by whichever way the service itself makes or moves these.
 */

let world: LfsWorld;
beforeAll(async () => {
  world = await startLfs();
  await world.api.makeUser({ isAdmin: true });
});
beforeEach(() => world.begin({ auto_init: true }));
afterAll(() => world.api.stop());

/** Packs that killed processes have left are for the weekly look. */
const expectWhole = async () => {
  const found = await findingsOf(world.api);
  expect(found.filter(({ key }) => !key.startsWith("r/"))).toEqual([]);
};
const call = async (method: string, path: string, body?: object, as = world.alice) => {
  const answer = await world.api.call(method, path, { as, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json;
};
const pointer = ({ oid, size }: Named) => lfsPointerFile({ oid, sizeBytes: size }).toString();
const base64 = (text: string | Buffer) => Buffer.from(text).toString("base64");
const media = async (repository: string, path: string) =>
  (await world.api.app.request(`/api/v1/repos/${repository}/media/${path}`)).text();
/** Kills the process at each write of a request in turn; others look later. */
const killed = (ask: (round: number) => Promise<unknown>) =>
  killedAtEach(world.api, ask, async () => undefined);
const track = async (patterns = "*.bin filter=lfs diff=lfs merge=lfs -text\n") =>
  call("POST", `/repos/alice/${world.name}/contents/.gitattributes`, { content: base64(patterns) });

describe("contents of a path that .gitattributes gives to Git LFS (semantics §36.3)", () => {
  const write = (path: string, content: string, more: object = {}, method = "POST") =>
    call(method, `/repos/alice/${world.name}/contents/${path}`, { content: base64(content), ...more });

  it("become an object, and a pointer in the commit", async () => {
    await track();
    const object = named("large words");
    const { content } = await write("folder/a.bin", "large words");
    expect(Buffer.from(content.content, "base64").toString()).toBe(pointer(object));
    expect([content.size, content.lfs_oid, content.lfs_size]).toEqual([
      pointer(object).length,
      object.oid,
      object.size,
    ]);
    expect(await world.objects()).toEqual([object.oid]);
    expect(await media(`alice/${world.name}`, "folder/a.bin")).toBe("large words");
    const changed = await write("folder/a.bin", "other words", { sha: content.sha }, "PUT");
    expect(changed.content.lfs_oid).toBe(named("other words").oid);
    const moved = { sha: changed.content.sha, from_path: "folder/a.bin" };
    const plain = await write("folder/a.txt", "small words", moved, "PUT");
    expect(plain.content.lfs_oid).toBeUndefined();
    await expectWhole();
  });

  it("are told by the nearest file and its last line, by macros, and by whole folders", async () => {
    await track("[attr]large filter=lfs\n/assets/** large\n*.bin filter=lfs\nassets/small* -filter\n");
    await call("POST", `/repos/alice/${world.name}/contents/here/.gitattributes`, {
      content: base64("*.bin !filter\nsome.bin filter=other\n"),
    });
    const files = {
      ...{ "assets/deep/x": true, "assets/small": false, "a.bin": true, "a.bin.txt": false },
      ...{ "here/b.bin": false, "here/some.bin": false, "größe/ü.bin": true },
    };
    const asked = Object.keys(files).map((path) => ({ operation: "create", path, content: base64(path) }));
    const changed = await call("POST", `/repos/alice/${world.name}/contents`, { files: asked });
    const isLarge = changed.files.map((one: { path: string; lfs_oid?: string }) => [
      one.path,
      one.lfs_oid !== undefined,
    ]);
    expect(isLarge).toEqual(Object.entries(files));
  });

  it("stay as they are when they are empty or a pointer, in an empty repository, and in a patch", async () => {
    await track();
    const given = pointer(named("pushed before"));
    for (const [path, content] of [
      ["empty.bin", ""],
      ["pointer.bin", given],
    ] as const) {
      const { content: written } = await write(path, content);
      expect(Buffer.from(written.content, "base64").toString()).toBe(content);
    }
    const patch = "--- /dev/null\n+++ b/patched.bin\n@@ -0,0 +1 @@\n+words\n";
    await call("POST", `/repos/alice/${world.name}/diffpatch`, { content: patch });
    expect(await world.objects()).toEqual([]);
    await world.begin();
    const first = [
      { operation: "create", path: ".gitattributes", content: base64("* filter=lfs\n") },
      { operation: "create", path: "a", content: base64("a") },
    ];
    await call("POST", `/repos/alice/${world.name}/contents`, { files: first });
    expect(await world.objects()).toEqual([]);
  });

  it("are there before the commit is, wherever the process is killed", async () => {
    await track();
    await killed(async (round) => {
      const path = `killed-${round}.bin`;
      const body = { content: base64(`killed ${round}`) };
      const asked = { as: world.alice, body };
      await world.api.call("POST", `/repos/alice/${world.name}/contents/${path}`, asked);
    });
    const { tree } = await call("GET", `/repos/alice/${world.name}/git/trees/main`);
    const written = tree.filter(({ path }: { path: string }) => path.startsWith("killed-"));
    expect(written.length).toBeGreaterThan(0);
    for (const { path } of written) {
      const [, round] = /-(\d+)/.exec(path) ?? [];
      expect(await media(`alice/${world.name}`, path)).toBe(`killed ${round}`);
    }
  });
});

describe("a fork's objects", () => {
  const there = () => `/repos/alice/${world.name}`;
  const fork = async () => {
    await call("POST", `${there()}/forks`, {}, world.bob);
    await finishJobs(world.api);
    return `bob/${world.name}`;
  };

  it.each(["merge", "rebase", "squash"])(
    "are the base's once a request is merged by %s; others of the fork are not",
    async (style) => {
      const own = await fork();
      const [object, beside] = [
        await world.upload(`merged by ${style}`, world.bob, own),
        await world.upload(`left by ${style}`, world.bob, own),
      ];
      const asked = { as: world.bob, content: pointer(object) };
      await commitOn(world.api, `/repos/${own}`, "topic", "a.bin", asked);
      const foreign = { as: world.bob, content: pointer(named("never uploaded")) };
      await commitOn(world.api, `/repos/${own}`, "topic", "b.bin", foreign);
      const { number } = await openPull(world.api, there(), { as: world.bob, head: "bob:topic" });
      expect(await world.objects()).toEqual([]);
      await call("POST", `${there()}/pulls/${number}/merge`, { Do: style });
      expect(await world.objects()).toEqual([object.oid]);
      expect(await media(`alice/${world.name}`, "a.bin")).toBe(`merged by ${style}`);
      expect((await world.one("download", beside)).error.code).toBe(404);
      await expectWhole();
    },
  );

  it("come from the base when the head branch is updated, and when the fork follows its parent", async () => {
    const own = await fork();
    await commitOn(world.api, `/repos/${own}`, "topic", "t", { as: world.bob });
    const object = await world.upload(`later ${world.id}`);
    await commitOn(world.api, there(), "main", "a.bin", { as: world.alice, content: pointer(object) });
    const { number } = await openPull(world.api, there(), { as: world.bob, head: "bob:topic" });
    await call("POST", `${there()}/pulls/${number}/update`, undefined, world.bob);
    expect((await world.one("download", object, world.bob, own)).error).toBeUndefined();
    const next = await world.upload(`next ${world.id}`);
    await commitOn(world.api, there(), "main", "b.bin", { as: world.alice, content: pointer(next) });
    expect((await world.one("download", next, world.bob, own)).error.code).toBe(404);
    await call("POST", `/repos/${own}/merge-upstream`, { branch: "main" }, world.bob);
    expect((await world.one("download", next, world.bob, own)).error).toBeUndefined();
  });
});

describe("a repository that is generated from a template (semantics §41.1)", () => {
  it("has the objects that the template's files name, and no others", async () => {
    const object = await world.upload(`of the template ${world.id}`);
    const former = await world.upload(`of its history ${world.id}`);
    const files = (one: Named) => ({ files: { "folder/a.bin": pointer(one) } });
    await pushFiles(world.api, world.alice, world.name, files(former));
    await pushFiles(world.api, world.alice, world.name, files(object));
    await call("PATCH", `/repos/alice/${world.name}`, { template: true });
    const generate = async (body: object) =>
      (await call("POST", `/repos/alice/${world.name}/generate`, { owner: "bob", ...body }, world.bob)).id;
    const id = await generate({ name: `made-${world.id}`, git_content: true });
    expect(await world.objects(id)).toEqual([object.oid]);
    expect(await media(`bob/made-${world.id}`, "folder/a.bin")).toBe(`of the template ${world.id}`);
    const bare = await generate({ name: `bare-${world.id}`, labels: true });
    expect(await world.objects(bare)).toEqual([]);
    await finishJobs(world.api);
    await expectWhole();
  });

  it("gets them by a job when the process is killed behind its creation", async () => {
    const object = await world.upload(`by the job ${world.id}`);
    await pushFiles(world.api, world.alice, world.name, { files: { a: pointer(object) } });
    await call("PATCH", `/repos/alice/${world.name}`, { template: true });
    await killed(async (round) => {
      const body = { owner: "bob", name: `killed-${world.id}-${round}`, git_content: true };
      await world.api.call("POST", `/repos/alice/${world.name}/generate`, { as: world.bob, body });
    });
    await finishJobs(world.api);
    const { data } = await call("GET", `/repos/search?q=killed-${world.id}-`);
    expect(data.length).toBeGreaterThan(0);
    for (const { id } of data) expect(await world.objects(id)).toEqual([object.oid]);
  });
});
