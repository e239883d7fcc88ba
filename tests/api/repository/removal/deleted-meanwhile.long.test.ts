import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { findingsAtRest } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { Folders, WorkingCopy } from "../../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../serve-git.ts";

let api: TestApi;
let served: ServedGit;
let alice: Caller;
const folders = new Folders();

beforeAll(async () => {
  api = await makeApi();
  served = await serveGit(api);
  alice = await api.makeUser({ name: "alice" });
  await api.makeUser({ name: "boss", isAdmin: true });
});
afterAll(async () => {
  await folders.remove();
  await served.stop();
  await api.stop();
});

/** A repository with eight commits. */
async function furnish(name: string, format: "sha1" | "sha256"): Promise<WorkingCopy> {
  const body = { name, object_format_name: format };
  expect((await api.call("POST", "/user/repos", { as: alice, body })).status).toBe(201);
  const copy = await WorkingCopy.init(folders, format);
  const texts = Array.from({ length: 8 }, (_, number) => `${number}\n`);
  await copy.commitAll(texts.map((text) => ({ files: { "a.txt": text }, message: text })));
  await copy.git("push", "-q", served.url(`alice/${name}`, alice), "main");
  return copy;
}

/** Git's output of a push that finds no repository: at its beginning, in the middle, or at its end. */
const refusal = /deleted meanwhile|is gone|does not exist|not found|HTTP 404/;

const remove = (name: string) => api.call("DELETE", `/repos/alice/${name}`, { as: alice });

async function expectNothingLeft(id: number): Promise<void> {
  await finishJobs(api);
  const left: string[] = [];
  for await (const { key } of api.forge.blobs.list(`r/${id}/`)) left.push(key);
  expect(left).toEqual([]);
  for (const pk of [`R#${id}`, `R#${id}#G`, `R#${id}#DIR`])
    expect(await api.forge.table.queryAll({ pk })).toEqual([]);
  expect(await findingsAtRest(api)).toEqual([]);
}

describe.each(["sha1", "sha256"] as const)("a %s repository that is deleted (B-09)", (format) => {
  it("while it is cloned: the clone is whole, or fails; then there is nothing to clone", async () => {
    const name = `cloned-${format}`;
    await furnish(name, format);
    const { id } = (await api.call("GET", `/repos/alice/${name}`, { as: alice })).json;
    const url = served.url(`alice/${name}`, alice);
    const copies = await Promise.all([1, 2, 3].map(async () => new WorkingCopy(await folders.make())));
    const [removed, ...cloned] = await Promise.all([
      remove(name),
      ...copies.map((copy) => copy.try("clone", "-q", url, ".")),
    ]);
    expect(removed.status).toBe(204);
    for (const [at, { code }] of cloned.entries()) {
      if (code !== 0) continue;
      const copy = copies[at] as WorkingCopy;
      await copy.git("fsck", "--full", "--strict");
      expect(await copy.git("rev-list", "--count", "HEAD")).toBe("8");
    }
    expect((await (copies[0] as WorkingCopy).try("ls-remote", url)).code).not.toBe(0);
    await expectNothingLeft(id);
  });

  it("while it is pushed to: the push lands before it, or is refused; then nothing is left of either", async () => {
    const name = `pushed-${format}`;
    const copy = await furnish(name, format);
    const { id } = (await api.call("GET", `/repos/alice/${name}`, { as: alice })).json;
    await copy.commit({ "b.txt": "late\n" });
    const url = served.url(`alice/${name}`, alice);
    const [pushed, removed] = await Promise.all([copy.try("push", "-q", url, "main"), remove(name)]);
    expect(removed.status).toBe(204);
    expect((await copy.try("push", "-q", url, "main:again")).code).not.toBe(0);
    if (pushed.code !== 0) expect(pushed.stderr).toMatch(refusal);
    await expectNothingLeft(id);
  });

  it("when the push is all there and lands next: git says why it does not; nothing is left of it", async () => {
    const name = `landing-${format}`;
    const copy = await furnish(name, format);
    const { id } = (await api.call("GET", `/repos/alice/${name}`, { as: alice })).json;
    await copy.commit({ "b.txt": "late\n" });
    const { table } = api.forge;
    let removed = 0;
    const late = await serveGit({
      ...api,
      forge: {
        ...api.forge,
        table: {
          ...table,
          async transact(writes, options) {
            if (removed === 0) removed = (await remove(name)).status;
            return table.transact(writes, options);
          },
        },
      },
    });
    try {
      const pushed = await copy.try("push", "-q", late.url(`alice/${name}`, alice), "main");
      expect(removed).toBe(204);
      expect(pushed.code).not.toBe(0);
      expect(pushed.stderr).toContain("the repository was deleted meanwhile");
    } finally {
      await late.stop();
    }
    await expectNothingLeft(id);
  });
});
