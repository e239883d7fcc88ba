import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { Folders, WorkingCopy } from "../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "./serve-git.ts";

let api: TestApi;
let served: ServedGit;
let alice: Caller;
let bob: Caller;
let work: WorkingCopy;
const folders = new Folders();

beforeAll(async () => {
  api = await makeApi();
  served = await serveGit(api);
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  for (const name of ["own", "shared"]) {
    expect((await api.call("POST", "/user/repos", { as: alice, body: { name } })).status).toBe(201);
  }
  await api.call("PUT", "/repos/alice/shared/collaborators/bob", { as: alice });
  work = await WorkingCopy.init(folders, "sha1");
});
afterAll(async () => {
  await folders.remove();
  await served.stop();
  await api.stop();
});

async function push(name: string, as: Caller, ...options: string[]): Promise<string> {
  await work.commit({ "a.txt": `${name} ${options.join(" ")}\n` });
  const given = options.flatMap((option) => ["-o", option]);
  const { stderr } = await work.try("push", ...given, served.url(`alice/${name}`, as), "HEAD:main");
  return stderr;
}
const settings = async (name: string) => {
  const { json } = await api.call("GET", `/repos/alice/${name}`, { as: alice });
  return [json.private, json.template, json.empty];
};

describe("push options", () => {
  it("of an administrator set repo.private and repo.template, with the first push and later", async () => {
    await push("own", alice, "repo.private=true", "repo.template");
    expect(await settings("own")).toEqual([true, true, false]);
    await push("own", alice, "repo.private=maybe", "repo.template=false", "ci.skip");
    expect(await settings("own")).toEqual([true, false, false]);
    await push("own", alice, "repo.private=0");
    expect(await settings("own")).toEqual([false, false, false]);
  });

  it("that are words which every object knows ask for nothing", async () => {
    const before = await settings("own");
    for (const option of ["repo.private=__proto__", "repo.template=constructor", "constructor=__proto__"]) {
      expect(await push("own", alice, option)).not.toContain("left alone");
      expect(await settings("own")).toEqual(before);
    }
    expect(await push("shared", bob, "constructor=__proto__")).not.toContain("left alone");
  });

  it("of a writer are ignored, and they are told; the push lands", async () => {
    const told = await push("shared", bob, "repo.private=true");
    expect(told).toMatch(/remote: .*repo\.private.* left alone/);
    expect(await settings("shared")).toEqual([false, false, false]);
  });
});
