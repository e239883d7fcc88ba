import { Session } from "node:inspector/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "#functions/api/app";
import { makeRepository } from "#tests/api/repository/make";
import { type ServedGit, serveGit } from "#tests/api/repository/serve-git";
import { Folders, git, WorkingCopy } from "#tests/git/http/real-git";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let app: TestApi["app"];
let owner: Caller;
let served: ServedGit;
let path: string;
const folders = new Folders();

beforeAll(async () => {
  api = await makeApi();
  app = createApi({ forge: api.forge });
  owner = await api.makeUser({ name: "olga" });
  served = await serveGit(api);
  ({ path } = await makeRepository(api, owner));
});
afterAll(async () => {
  await served.stop();
  await folders.remove();
  await api.stop();
});

/** The files of `core` and `functions` of which V8 runs any function in the fourth round of some work. */
async function executedBy(work: () => Promise<unknown>): Promise<string[]> {
  for (let round = 1; round <= 3; round += 1) await work();
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  try {
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const isRun = ({ functions }: (typeof result)[number]) =>
      functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
    return result
      .filter(isRun)
      .flatMap(({ url }) => /(?<!node_modules.*)\/((?:core|functions)\/.*\.ts)$/.exec(url)?.[1] ?? []);
  } finally {
    await session.post("Profiler.stopPreciseCoverage");
    session.disconnect();
  }
}

/** Without the check of the contract, which runs files of its own. */
const call = async (method: string, place: string, body?: object): Promise<JsonValue> => {
  const headers = { authorization: `token ${owner.token}`, "content-type": "application/json" };
  const answer = await app.request(`/api/v1${path}/${place}`, {
    ...{ method, headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBeLessThan(300);
  return await answer.json();
};

/** Fails with the list of files where there are more. */
const expectAtMost = (files: readonly string[], most: number) =>
  expect(files.length > most ? files : []).toEqual([]);

/** docs/architecture.md tells these figures: who raises one says there why each request needs the new files. */
describe("a warm request executes few files", () => {
  it("GET label", async () => {
    const { id } = await call("POST", "labels", { name: "bug", color: "#ff0000" });
    const files = await executedBy(() => call("GET", `labels/${id}`));
    expect(files).toContain("core/label/label.ts");
    expectAtMost(files, 80);
  });

  it("PATCH issue", async () => {
    const { number } = await call("POST", "issues", { title: "Round 0" });
    let round = 0;
    const rename = () => call("PATCH", `issues/${number}`, { title: `Round ${++round}` });
    const files = await executedBy(rename);
    expect(files).toContain("core/issue/edit.ts");
    expectAtMost(files, 135);
  });

  it("push of one commit", async () => {
    const folder = await folders.make();
    await git(folder, ["clone", "-q", served.url(path.replace("/repos/", ""), owner), "copy"]);
    const copy = new WorkingCopy(`${folder}/copy`);
    let round = 0;
    const files = await executedBy(async () => {
      await copy.commit({ "a.txt": `${++round}\n` });
      await copy.git("push", "-q", "origin", "HEAD:refs/heads/main");
    });
    expect(files).toContain("core/git/protocol/receive-pack.ts");
    expectAtMost(files, 175);
  });
});
