import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resendOverdue } from "#core/events/outbox";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { killedAtEverySecond, recovered } from "#tests/support/race/killed-at-each";
import { type PullRepositories, pullRepositories } from "../pull-repositories.ts";

let api: TestApi;
let alice: Caller;
let repositories: PullRepositories;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  repositories = pullRepositories(api, alice);
});
afterAll(() => api.stop());

const merge = (repository: string, number: number, more: object = {}) =>
  api.call("POST", `${repository}/pulls/${number}/merge`, { as: alice, body: { Do: "merge", ...more } });
const get = async (path: string) => api.call("GET", path, { as: alice });
const work = () => api.queues.drain("repository-events", (batch) => repositoryEventsWorker(api.forge, batch));

/** A request that closes an issue, with one commit on each side. */
async function make(name: string) {
  const repository = await repositories.make(name);
  await repositories.commitOn(repository, "topic", "topic.txt");
  const base = await repositories.commitOn(repository, "main", "main.txt");
  const issue = await api.call("POST", `${repository}/issues`, { as: alice, body: { title: "Bug" } });
  const body = `fixes #${issue.json.number}`;
  return {
    repository,
    base,
    issue: issue.json.number,
    number: await repositories.open(repository, "topic", { body }),
  };
}

/** The commits of a branch that are not in another state, newest first. */
const messagesOf = async (repository: string): Promise<string[]> => {
  const { json } = await get(`${repository}/commits?sha=main`);
  return json.map((one: { commit: { message: string } }) => one.commit.message.split("\n")[0]);
};

describe("repoMergePullRequest: races", () => {
  it("two callers get one merge: 200 and 405", async () => {
    const { repository, number } = await make("twice");
    const answers = await Promise.all([
      merge(repository, number),
      merge(repository, number, { Do: "squash" }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 405]);
    const own = (await messagesOf(repository)).filter((text) => text.includes(`#${number}`));
    expect(own).toHaveLength(1);
    const { json } = await get(`${repository}/issues/${number}/timeline`);
    expect(json.filter(({ type }: { type: string }) => type === "merge_pull")).toHaveLength(1);
  });

  it("a push to the base meets a merge: both land, one after the other", async () => {
    const { repository, number } = await make("pushed");
    const [merged, pushed] = await Promise.all([
      merge(repository, number),
      repositories.commitOn(repository, "main", "pushed.txt"),
    ]);
    expect([merged.status, pushed]).toEqual([200, expect.any(String)]);
    const files = await get(`${repository}/contents?ref=main`);
    const names = files.json.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(["main.txt", "pushed.txt", "topic.txt"]));
  });

  it("requests into one base merge at once, each whole", async () => {
    const repository = await repositories.make("crowd");
    const numbers: number[] = [];
    for (const name of ["a", "b", "c", "d"]) {
      await repositories.commitOn(repository, name, `${name}.txt`);
      numbers.push(await repositories.open(repository, name));
    }
    const answers = await Promise.all(numbers.map((number) => merge(repository, number)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const files = await get(`${repository}/contents?ref=main`);
    expect(files.json).toHaveLength(5);
    expect((await get(repository)).json.open_pr_counter).toBe(0);
  });

  it("a request that is closed, or drafted, meanwhile is not merged", async () => {
    const { repository, number, base } = await make("edited");
    const edit = api.call("PATCH", `${repository}/pulls/${number}`, { as: alice, body: { state: "closed" } });
    const [merged, edited] = await Promise.all([merge(repository, number), edit]);
    const isMerged = merged.status === 200;
    expect([isMerged, edited.status === 201]).toSatisfy(([one, other]) => one !== other);
    expect((await repositories.tipOf(repository, "main")) !== base).toBe(isMerged);
  });
});

describe("repoMergePullRequest: crashes", () => {
  it("leaves all or nothing at every write, and the rest follows from the queue", async () => {
    const seen = new Set<boolean>();
    await killedAtEverySecond(async (write, when) => {
      const { repository, base, issue, number } = await make(`crash-${write}`);
      await work();
      api.faults.crashAt(write, when);
      await merge(repository, number, { delete_branch_after_merge: true }).catch(() => undefined);
      const killed = recovered(api.faults);
      const isMerged = (await get(`${repository}/pulls/${number}/merge`)).status === 204;
      seen.add(isMerged);
      expect((await repositories.tipOf(repository, "main")) !== base).toBe(isMerged);
      api.clock.advance(31_000);
      await resendOverdue(api.forge);
      await work();
      const again = await merge(repository, number, { delete_branch_after_merge: true });
      expect(again.status).toBe(isMerged ? 405 : 200);
      expect((await get(`${repository}/issues/${issue}`)).json.state).toBe("closed");
      expect((await get(`${repository}/branches/topic`)).status).toBe(404);
      expect((await get(`${repository}/pulls/${number}`)).json.merged).toBe(true);
      return killed;
    });
    expect(seen).toEqual(new Set([true, false]));
  });
});
