import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processPackCaches } from "#core/git/pack/pack-caches";
import { packKey } from "#core/git/pack/pack-files";
import { replaceRoot } from "#core/git/store/refs/refs.table";
import { readRoot } from "#core/git/store/store";
import { checkObjects } from "#infra/local/check-objects";
import { temporaryFolder } from "#tests/git/pack/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { generateRepository } from "#tests/support/git/git-generator";
import { checkData } from "#tests/support/process/check-data";
import { startServer } from "#tests/support/process/server-process";

const run = promisify(execFile);
const project = join(import.meta.dirname, "..", "..", "..");

describe("check-data --objects", () => {
  let api: TestApi;
  let eve: Caller;
  beforeAll(async () => {
    api = await makeApi();
    eve = await api.makeUser({ name: "eve" });
  });
  afterAll(() => api.stop());

  /** A repository of two pushes, each with a pack of its own. */
  async function twoPushes(name: string, options: object = {}) {
    const id = await makeRepository(api, eve, name, options);
    const first = await pushFiles(api, eve, name, { files: { "kept.txt": "one\n", "folder/b.txt": "b\n" } });
    const second = await pushFiles(api, eve, name, { files: { "kept.txt": "two\n" } });
    const root = await readRoot(api.forge, id);
    if (root === undefined) throw new Error("there is no ROOT");
    return { id, first, second, root };
  }

  it("finds nothing in what was pushed, with its wiki", async () => {
    const { id } = await twoPushes("whole");
    const page = { title: "Home", content_base64: Buffer.from("words").toString("base64") };
    expect((await api.call("POST", "/repos/eve/whole/wiki/new", { as: eve, body: page })).status).toBe(201);
    expect(await checkObjects(api.forge, id)).toEqual([]);
  });

  it("names what commits lead to and no pack holds", async () => {
    const { id, first, second, root } = await twoPushes("torn");
    const kept = root.packs.slice(1);
    await api.forge.table.write(replaceRoot(root, { packs: kept }));
    const problems = (await checkObjects(api.forge, id)).map(({ problem }) => problem);
    expect(problems).toContain(`${first} is in no pack; commit ${second} names it`);
  });

  it("names a pack of which a byte changed", async () => {
    const { id, root } = await twoPushes("bent");
    const [pack] = root.packs;
    if (pack === undefined) throw new Error("there is no pack");
    const bytes = await api.forge.blobs.get(packKey(pack));
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    await api.forge.blobs.put(packKey(pack), bytes);
    const [finding] = await checkObjects(api.forge, id);
    expect(finding).toMatchObject({
      invariant: 21,
      key: packKey(pack),
      problem: "does not have the checksum that it ends with",
    });
  });

  it.each(["pack", "side"])("names a lost %s file, and goes on to the others", async (kind) => {
    const { id, root } = await twoPushes(`lost-${kind}`);
    const [first, second] = root.packs;
    if (first === undefined || second === undefined) throw new Error("there are no two packs");
    const bytes = await api.forge.blobs.get(packKey(second));
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    await api.forge.blobs.put(packKey(second), bytes);
    await api.forge.blobs.remove([`${first.key}.${kind}`]);
    processPackCaches.clear();
    const found = await checkObjects(api.forge, id);
    expect(found.map(({ problem }) => problem)).toEqual(
      expect.arrayContaining([
        expect.stringContaining(`no object under ${first.key}.${kind}`),
        "does not have the checksum that it ends with",
      ]),
    );
  });

  it("B-09: says that a SHA-256 repository is not read, and by what it can be", async () => {
    const { id } = await twoPushes("long-ids", { object_format_name: "sha256" });
    await expect(checkObjects(api.forge, id)).rejects.toThrow("run git fsck");
  });
});

it("check-data --objects reads deltas, packs of several pushes and forks of a running server", async () => {
  const server = await startServer({ project });
  try {
    const folder = join(await temporaryFolder(), "generated");
    await generateRepository({ folder, objects: 1_500 });
    const call = (path: string, body: object) =>
      fetch(`${server.url}/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    await call("/user/repos", { name: "source" });
    await call("/orgs", { username: "others" });
    const at = (name: string) => `${server.url.replace("//", `//root:${server.token}@`)}/${name}.git`;
    const git = (...words: string[]) => run("git", ["-C", folder, ...words]);
    await git("push", "-q", at("root/source"), "main~20:refs/heads/main");
    await git("push", "-q", at("root/source"), "main");
    expect((await call("/repos/root/source/forks", { organization: "others" })).status).toBe(202);
    await git("push", "-q", "--mirror", at("others/source"));
    const look = (...words: string[]) => checkData(project, { DATA_DIR: server.folder }, words);
    const fine = { code: 0, lines: ["Nothing is wrong."] };
    expect(await look("--repository", "root/source", "--objects")).toEqual(fine);
    expect(await look("--repository", "others/source", "--objects")).toEqual(fine);
    const { code, lines } = await look("--objects");
    expect([code, lines[0]]).toEqual([1, expect.stringContaining("--repository owner/name")]);
  } finally {
    await server.stop();
  }
});
