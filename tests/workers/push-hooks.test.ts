import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestTest } from "#core/hook/test-delivery";
import { type HookWorld, makeHookWorld, type PlannedCommit, type ReceivedEvent } from "./hook-world.ts";

let world: HookWorld;
beforeAll(async () => {
  world = await makeHookWorld();
});
afterAll(() => world.stop());

const main = "refs/heads/main";
const second = (count: number): PlannedCommit => ({
  files: { counter: String(count) },
  message: `commit ${count}\n`,
  seconds: 1_700_000_000 + count,
});
const named = (events: ReceivedEvent[]) => events.map(({ type, payload }) => [type, payload.ref]).toSorted();
const of = (events: ReceivedEvent[], type: string) =>
  events.filter((event) => event.type === type).map(({ payload }) => payload);

/** A repository with commits on main, everything told so far behind it. */
async function makePushed(commits: readonly PlannedCommit[] = [second(0)], settings = {}) {
  const repository = await world.makeRepository();
  const ids = await world.push(repository, commits, (made) => [{ name: main, new: made.at(-1) ?? "" }]);
  await world.deliver();
  const hook = await world.makeHook(repository, settings);
  return { repository, hook, ids, tip: ids.at(-1) ?? "" };
}

describe.each(["sha1", "sha256"] as const)("a first push to a %s repository (semantics §27.5)", (format) => {
  it("tells of the new branch and of its commits, signed and indented; the sender's address is hidden", async () => {
    const repository = await world.makeRepository(format);
    await world.makeHook(repository);
    await world.deliver();
    const before = world.receiver.requests.length;
    const commits = [
      { files: { a: "1", b: "1" }, message: "first\n", seconds: 1_700_000_000 },
      { files: { a: "2", c: "1" }, message: "second\n", seconds: 1_700_000_010 },
    ];
    const [one = "", two = ""] = await world.push(repository, commits, (ids) => [
      { name: main, new: ids[1] ?? "" },
    ]);
    const events = await world.deliver();
    for (const { body, headers } of world.receiver.requests.slice(before)) {
      expect(headers["x-gitea-signature"]).toBe(createHmac("sha256", "s").update(body).digest("hex"));
      expect(body).toMatch(/^\{\n {2}"ref": "refs\/heads\/main",\n {2}"/);
    }
    const sender = expect.objectContaining({ login: "Olga", email: "olga@noreply.127.0.0.1" });
    const person = { name: "Olga Owner", email: "olga@example.com", username: "Olga" };
    expect(events.map(({ event, type }) => [event, type]).toSorted()).toEqual([
      ["create", "create"],
      ["push", "push"],
    ]);
    expect(of(events, "create")).toEqual([
      {
        ref: main,
        sha: two,
        ref_type: "branch",
        repository: expect.objectContaining({ id: repository.id }),
        sender,
      },
    ]);
    const newest = {
      id: two,
      message: "second\n",
      url: `http://127.0.0.1:3000/Olga/${repository.name}/commit/${two}`,
      author: person,
      committer: person,
      verification: null,
      timestamp: "2023-11-14T22:13:30Z",
      added: ["c"],
      removed: ["b"],
      modified: ["a"],
    };
    expect(of(events, "push")).toEqual([
      {
        ref: main,
        before: "0".repeat(two.length),
        after: two,
        compare_url: "",
        commits: [newest, expect.objectContaining({ id: one, added: ["a", "b"], removed: [], modified: [] })],
        total_commits: 2,
        head_commit: newest,
        repository: expect.objectContaining({
          id: repository.id,
          permissions: { admin: true, push: true, pull: true },
        }),
        pusher: sender,
        sender,
      },
    ]);
  });
});

describe("what a push emits (semantics §27.4)", () => {
  it("lists at most 5 commits newest first, counts all, compares with the former commit", async () => {
    const { repository, tip } = await makePushed();
    const commits = [1, 2, 3, 4, 5, 6, 7]
      .map(second)
      .map((commit, at) => (at === 0 ? { ...commit, parents: [tip] } : commit));
    const ids = await world.push(repository, commits, (made) => [
      { name: main, old: tip, new: made[6] ?? "" },
    ]);
    const events = await world.deliver();
    expect(named(events)).toEqual([["push", main]]);
    const [payload] = of(events, "push");
    expect(payload).toMatchObject({
      before: tip,
      after: ids[6],
      total_commits: 7,
      head_commit: { id: ids[6] },
    });
    expect(payload.commits.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2).toReversed());
    expect(payload.compare_url).toBe(
      `http://127.0.0.1:3000/Olga/${repository.name}/compare/${tip}...${ids[6]}`,
    );
  });

  it("counts at most 10 commits of a new branch", async () => {
    const many = Array.from({ length: 12 }, (_, count) => second(count));
    const { repository, tip } = await makePushed(many);
    await world.push(repository, [], () => [{ name: "refs/heads/other", new: tip }]);
    const events = await world.deliver();
    expect(named(events)).toEqual([
      ["create", "refs/heads/other"],
      ["push", "refs/heads/other"],
    ]);
    expect(of(events, "push")[0]).toMatchObject({ total_commits: 10, before: "0".repeat(40) });
    expect(of(events, "push")[0].commits.length).toBe(5);
  });

  it("tells of what a forced push brought, and keeps silent about what it took away", async () => {
    const { repository, ids } = await makePushed([second(0), second(1), second(2)]);
    const [base = "", , old = ""] = ids;
    const fresh = { ...second(9), parents: [base] };
    const [tip] = await world.push(repository, [fresh], (made) => [{ name: main, old, new: made[0] ?? "" }]);
    const [payload] = of(await world.deliver(), "push");
    expect(payload).toMatchObject({ before: old, after: tip, total_commits: 1 });
  });

  it("tells of a branch that goes by delete alone; of a tag that comes and goes by push and create, push and delete", async () => {
    const { repository, tip } = await makePushed();
    const [topic, tag] = ["refs/heads/topic", "refs/tags/v1"];
    await world.push(repository, [], () => [
      { name: topic, new: tip },
      { name: tag, new: tip },
    ]);
    const made = await world.deliver();
    expect(named(made)).toEqual([
      ["create", topic],
      ["create", tag],
      ["push", topic],
      ["push", tag],
    ]);
    expect(of(made, "push").find(({ ref }) => ref === tag)).toMatchObject({
      commits: [],
      total_commits: 0,
      head_commit: null,
      after: tip,
    });
    expect(of(made, "create").find(({ ref }) => ref === tag)).toMatchObject({ sha: tip, ref_type: "tag" });

    await world.push(repository, [], () => [
      { name: topic, old: tip },
      { name: tag, old: tip },
    ]);
    const gone = await world.deliver();
    expect(named(gone)).toEqual([
      ["delete", topic],
      ["delete", tag],
      ["push", tag],
    ]);
    expect(of(gone, "push")[0]).toMatchObject({ before: tip, after: "0".repeat(40), commits: [] });
    expect(
      of(gone, "delete")
        .map(({ ref_type, pusher_type }) => [ref_type, pusher_type])
        .toSorted(),
    ).toEqual([
      ["branch", "user"],
      ["tag", "user"],
    ]);
  });

  it("gives hooks of the type gitea short names in create and delete, full ones in push", async () => {
    const { repository, tip } = await makePushed([second(0)], { type: "gitea" });
    await world.push(repository, [], () => [{ name: "refs/heads/a/b", new: tip }]);
    await world.push(repository, [], () => [{ name: "refs/heads/a/b", old: tip }]);
    expect(named(await world.deliver())).toEqual([
      ["create", "a/b"],
      ["delete", "a/b"],
      ["push", "refs/heads/a/b"],
    ]);
  });

  it("says nothing of refs that are neither branches nor tags", async () => {
    const { repository, tip } = await makePushed();
    await world.push(repository, [], () => [{ name: "refs/notes/commits", new: tip }]);
    expect(await world.deliver()).toEqual([]);
  });

  it("asks the branch filter about branches only (27.10-4)", async () => {
    const { repository, tip } = await makePushed([second(0)], { branchFilter: "release/*" });
    const names = ["refs/heads/topic", "refs/heads/release/1", "refs/tags/v1"];
    await world.push(repository, [], () => names.map((name) => ({ name, new: tip })));
    const heard = named(await world.deliver());
    expect(heard).toEqual(["create", "push"].flatMap((type) => names.slice(1).map((name) => [type, name])));
  });

  it("sends nothing to an inactive hook, nor to one that is not subscribed (27.10-1, 27.10-5)", async () => {
    const { repository, tip } = await makePushed([second(0)], { isActive: false });
    await world.makeHook(repository, { events: ["issues"] });
    await world.push(repository, [], () => [{ name: "refs/heads/topic", new: tip }]);
    expect(await world.deliver()).toEqual([]);
  });
});

describe("a test of a hook (semantics §27.9, §27.10-8)", () => {
  it("sends one push to that hook alone: the head commit of the default branch, before and after the same", async () => {
    const { repository, hook, tip } = await makePushed([second(0), second(1)]);
    await world.makeHook(repository);
    await requestTest(world.forge, world.actor, repository, hook);
    const events = await world.deliver();
    expect(events.length).toBe(1);
    expect(events[0]).toMatchObject({
      type: "push",
      payload: {
        ref: main,
        before: tip,
        after: tip,
        total_commits: 1,
        commits: [{ id: tip }],
        head_commit: { id: tip },
      },
    });
    expect((await world.deliveriesOf(hook)).map(({ id }) => id)).toEqual([events[0]?.id]);
  });

  it("sends the ref that was asked for, and each test anew", async () => {
    const { repository, hook, ids } = await makePushed([second(0), second(1)]);
    await world.push(repository, [], () => [{ name: "refs/tags/v1", new: ids[0] ?? "" }]);
    await world.deliver();
    await requestTest(world.forge, world.actor, repository, hook, "v1");
    await requestTest(world.forge, world.actor, repository, hook, "v1");
    const events = await world.deliver();
    expect(events.map(({ payload }) => [payload.ref, payload.after])).toEqual(
      Array(2).fill(["refs/tags/v1", ids[0]]),
    );
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
  });

  it("sends nothing to a hook that is inactive or not subscribed to push", async () => {
    const { repository, hook } = await makePushed([second(0)], { isActive: false });
    const silent = await world.makeHook(repository, { events: ["issues"] });
    await requestTest(world.forge, world.actor, repository, hook);
    await requestTest(world.forge, world.actor, repository, silent);
    expect(await world.deliver()).toEqual([]);
  });
});
