import { describe, expect, it } from "vitest";
import { findingsAtRest } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { makeKeyLine } from "#tests/support/keys";
import { cloneAndCheck, remoteRefs, WorkingCopy } from "../../../git/http/real-git.ts";
import { namesIn } from "../../organization/make.ts";
import {
  alice,
  api,
  bob,
  carol,
  checked,
  createAnother,
  edit,
  folders,
  fork,
  forksOf,
  id,
  name,
  read,
  served,
  useForks,
} from "./forks-world.ts";

useForks();

describe("createFork", () => {
  it.each(["sha1", "sha256"] as const)(
    "202: %s: all branches, all tags and the default branch come along; issues, hooks, keys, labels do not (semantics §24.4)",
    async (format) => {
      await createAnother("full", { object_format_name: format, auto_init: false, default_branch: "trunk" });
      const own = await WorkingCopy.init(folders, format);
      await own.commit({ "a.txt": "a" });
      const made = ["branch trunk", "branch feature/x", "tag light"].map((words) => words.split(" "));
      for (const words of made) await own.git(...words);
      await own.git("tag", "-a", "-m", "told", "v1.0");
      await own.commit({ "a.txt": "b" });
      await own.git("push", "-q", "--all", served.url(`alice/${name}`, alice));
      await own.git("push", "-q", "--tags", served.url(`alice/${name}`, alice));
      await api.call("PATCH", `/repos/alice/${name}`, { as: alice, body: { default_branch: "trunk" } });
      const belongings = {
        issues: { title: "stays" },
        labels: { name: "bug", color: "aabbcc" },
        milestones: { title: "soon" },
        hooks: { type: "gitea", config: { url: "https://ci.example/", content_type: "json" } },
        keys: { title: "k", key: makeKeyLine(), read_only: true },
        branch_protections: { rule_name: "trunk" },
        tag_protections: { name_pattern: "v*", whitelist_usernames: ["alice"] },
      };
      for (const [part, body] of Object.entries(belongings)) {
        const at = `/repos/alice/${name}/${part}`;
        expect((await api.call("POST", at, { as: alice, body })).status, part).toBe(201);
        expect((await api.call("GET", at, { as: alice })).json, part).toHaveLength(1);
      }
      const { json } = await fork(bob);
      expect(json).toMatchObject({
        ...{ default_branch: "trunk", object_format_name: format, description: "all sorts" },
        ...{ open_issues_count: 0, topics: [] },
      });
      const refs = await remoteRefs(served.url(`bob/${name}`));
      expect(refs.map((line) => line.split(" ")[1])).toEqual([
        ...["refs/heads/feature/x", "refs/heads/main", "refs/heads/trunk"],
        ...["refs/tags/light", "refs/tags/v1.0"],
      ]);
      expect(refs).toEqual(await remoteRefs(served.url(`alice/${name}`)));
      const head = await own.git("ls-remote", "--symref", served.url(`bob/${name}`), "HEAD");
      expect(head.split("\n")[0]).toBe("ref: refs/heads/trunk\tHEAD");
      await cloneAndCheck(folders, served.url(`bob/${name}`));
      expect((await edit(`bob/${name}`, bob, { has_issues: true })).status).toBe(200);
      for (const part of [...Object.keys(belongings), "collaborators", "issues?state=all"]) {
        const { status, json: found } = await api.call("GET", `/repos/bob/${name}/${part}`, { as: bob });
        expect([status, found], part).toEqual([200, []]);
      }
      const first = await api.call("POST", `/repos/bob/${name}/issues`, { as: bob, body: { title: "own" } });
      expect(first.json.number).toBe(1);
      await checked(json.id);
    },
  );
});

describe("a fork and what it was forked from", () => {
  it("lives on when that is deleted, with all its objects, and is a fork no more", async () => {
    const forked = (await fork(bob)).json.id;
    const before = await remoteRefs(served.url(`bob/${name}`));
    await api.call("DELETE", `/repos/alice/${name}`, { as: alice });
    expect((await read(`bob/${name}`)).json).toMatchObject({ fork: false, parent: null });
    await finishJobs(api);
    expect((await read(`bob/${name}`)).json).toMatchObject({ fork: false, parent: null });
    expect(await remoteRefs(served.url(`bob/${name}`))).toEqual(before);
    await cloneAndCheck(folders, served.url(`bob/${name}`));
    await checked(forked);
    await api.call("DELETE", `/repos/bob/${name}`, { as: bob });
    await finishJobs(api);
    for (const one of [id, forked]) {
      const left = [];
      for await (const { key } of api.forge.blobs.list(`r/${one}/`)) left.push(key);
      expect(left).toEqual([]);
    }
  });

  it("follows its visibility, down to forks of forks, and can't have another", async () => {
    await fork(bob);
    await fork(carol, {}, `bob/${name}`);
    expect((await edit(`bob/${name}`, bob, { private: true })).json.private).toBe(false);
    await edit(`alice/${name}`, alice, { private: true });
    expect((await read(`bob/${name}`, carol)).status).toBe(404);
    await finishJobs(api);
    expect((await read(`carol/${name}`, carol)).json).toMatchObject({ private: true, parent: null });
    await edit(`alice/${name}`, alice, { private: false });
    await finishJobs(api);
    expect((await read(`carol/${name}`)).json).toMatchObject({ private: false, fork: true });
  });

  it("stays its fork when it changes hands", async () => {
    const forked = (await fork(bob)).json.id;
    const boss = await api.makeUser({ isAdmin: true });
    const body = { new_owner: "carol" };
    expect((await api.call("POST", `/repos/bob/${name}/transfer`, { as: boss, body })).status).toBe(202);
    expect(namesIn(await forksOf(`alice/${name}`))).toEqual([`carol/${name}`]);
    expect((await fork(carol, { name: `${name}-2` })).status).toBe(409);
    expect((await fork(bob)).status).toBe(202);
    await api.call("DELETE", `/repos/carol/${name}`, { as: carol });
    expect((await read(`alice/${name}`)).json.forks_count).toBe(1);
    await finishJobs(api);
    await checked(id, forked);
  });

  it("202 or 404, and nothing is left: a fork that meets the deletion of its source", async () => {
    const [forked, removed] = await Promise.all([
      fork(bob),
      api.call("DELETE", `/repos/alice/${name}`, { as: alice }),
    ]);
    expect(removed.status).toBe(204);
    expect([202, 404, 409]).toContain(forked.status);
    await finishJobs(api);
    const { status } = await read(`bob/${name}`);
    expect(status).toBe(forked.status === 202 ? 200 : 404);
    if (status === 200) await cloneAndCheck(folders, served.url(`bob/${name}`));
  });
});

it("after all of it the whole table holds together", async () => {
  await finishJobs(api);
  expect(await findingsAtRest(api)).toEqual([]);
});
