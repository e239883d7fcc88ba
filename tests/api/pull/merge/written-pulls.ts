import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { Folders, git } from "../../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../../repository/serve-git.ts";
import { type PullRepositories, pullRepositories } from "../pull-repositories.ts";

/** For the file that calls it: alice's requests, with commits by several people. */
export function writtenPulls() {
  /** What commits of merges say of people, times and words, and what the settings of a repository allow. */
  const api = {} as TestApi;
  const served = {} as ServedGit;
  const alice = {} as Caller;
  const repositories = {} as PullRepositories;
  const folders = new Folders();

  beforeAll(async () => {
    Object.assign(api, await makeApi());
    Object.assign(served, await serveGit(api));
    Object.assign(alice, await api.makeUser({ name: "alice", fullName: "Alice A" }));
    Object.assign(repositories, pullRepositories(api, alice));
  });
  afterAll(async () => {
    await served.stop();
    await folders.remove();
    await api.stop();
  });

  const call = (method: string, path: string, body?: object, as = alice) =>
    api.call(method, path, { as, ...(body && { body }) });
  const merge = async (repository: string, number: number, body: object, as = alice) =>
    (await call("POST", `${repository}/pulls/${number}/merge`, body, as)).status;
  const messageOf = async (repository: string): Promise<string> => {
    const tip = await repositories.tipOf(repository, "main");
    return (await call("GET", `${repository}/git/commits/${tip}`)).json.commit.message;
  };

  const writers = { "Ada <ada@example.org>": 1_600_000_000, "Bo <bo@example.org>": 1_600_001_000 };

  /** A request with commits by two people that somebody else committed, and a base that has moved. */
  async function written(name: string) {
    const repository = await repositories.make(name);
    const copy = `${await folders.make()}/copy`;
    await git("/", ["clone", "-q", served.url(`alice/${name}`, alice), copy]);
    for (const [at, [author, date]] of Object.entries(writers).entries()) {
      await writeFile(`${copy}/${at}.txt`, author);
      await git(copy, ["add", "-A"]);
      const by = ["--author", author, "--date", `${date} +0130`];
      await git(copy, ["commit", "-q", "-m", `Write ${at}\n\nWhy.`, ...by]);
    }
    await git(copy, ["push", "-q", "origin", "HEAD:topic"]);
    await repositories.commitOn(repository, "main", "main.txt");
    return { repository, copy, number: await repositories.open(repository, "topic") };
  }

  /** Author, date, committer and message of the newest commits of `main`, or of a parent of it, newest first. */
  async function log(copy: string, count: number, side = ""): Promise<string[]> {
    await git(copy, ["fetch", "-q", "origin", "main"]);
    const format = "%an <%ae> %ad, %cn <%ce> %ct: %s";
    const rows = await git(copy, [
      "log",
      `-${count}`,
      "--date=raw",
      `--format=${format}`,
      `FETCH_HEAD${side}`,
    ]);
    return rows.split("\n");
  }

  return { api, repositories, call, merge, messageOf, written, log };
}
