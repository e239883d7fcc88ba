import { describe, expect, it } from "vitest";
import { addComment, openIssue } from "#tests/api/issue/make";
import { commitOn, makeBase } from "#tests/api/pull/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import type { Caller } from "#tests/support/api";
import { feedOf, heatOf, typesIn, typesOf } from "./make.ts";
import { toldPeople } from "./told-people.ts";

const { api, boss, people, at, done, privateOf } = toldPeople();

describe("userListActivityFeeds", () => {
  it("200: a push and a comment are two rows of the actor; an outsider sees none of a private repository (scenario 1)", async () => {
    const { alice, bob: other, eve } = people;
    const path = await makeBase(api, alice, "secret", { private: true });
    await api.call("PUT", `${path}/collaborators/${other.name}`, {
      as: alice,
      body: { permission: "write" },
    });
    const { number } = (await api.call("POST", `${path}/issues`, { as: alice, body: { title: "A title" } }))
      .json;
    await done();
    const sha = await commitOn(api, path, "main", "new.txt", { as: other });
    await done();
    const comment = await api.call("POST", `${path}/issues/${number}/comments`, {
      as: other,
      body: { body: "Well" },
    });
    await done();
    const { rows, total } = await feedOf(api, at(other), other);
    expect([typesIn(rows), total]).toEqual([["comment_issue", "commit_repo"], 2]);
    const [said, pushed] = rows;
    expect(said).toMatchObject({
      ...{ user_id: other.user.id, act_user_id: other.user.id, is_private: true, ref_name: "" },
      ...{
        comment_id: comment.json.id,
        content: `${number}|Well`,
        repo: { name: "secret", permissions: null },
      },
      comment: { id: comment.json.id, body: "Well" },
      act_user: { login: other.name },
    });
    expect(pushed).toMatchObject({ ref_name: "refs/heads/main", comment_id: 0, comment: null });
    expect(JSON.parse(pushed.content)).toMatchObject({
      ...{ Len: 1, HeadCommit: { Sha1: sha }, Commits: [{ Sha1: sha, Message: "Write new.txt\n" }] },
      CompareURL: expect.stringMatching(
        new RegExp(`^${alice.name}/secret/compare/[0-9a-f]{40}\\.\\.\\.${sha}$`),
      ),
    });
    expect(await typesOf(api, at(other), eve)).toEqual([]);
    expect(await typesOf(api, at(other))).toEqual([]);
    expect(await typesOf(api, at(other), boss)).toEqual(["comment_issue", "commit_repo"]);
    // Whoever may read the repository sees its feed, and not the private rows of another user's.
    expect(await typesOf(api, at(other), alice)).toEqual([]);
    expect((await typesOf(api, path, alice)).slice(0, 2)).toEqual(["comment_issue", "commit_repo"]);
  });

  it("200: yesterday is empty, and what is no date is ignored (scenario 2)", async () => {
    const { alice } = people;
    await makeRepository(api, alice);
    await done();
    const day = (before: number) =>
      new Date(api.clock.now() - before * 86_400_000).toISOString().slice(0, 10);
    const seen = async (date: string) => (await feedOf(api, at(alice), alice, `?date=${date}`)).total;
    expect([await seen(day(1)), await seen(day(0)), await seen(day(-1))]).toEqual([0, 1, 0]);
    for (const odd of ["yesterday", "2024-13-45", "0000-00-00", "24-1-1", "", "2024-01-01T00:00:00Z"])
      expect([odd, await seen(odd)]).toEqual([odd, 1]);
    expect(await seen("9999-12-31")).toBe(0);
  });

  it("200: what others do in what the user watches, but only-performed-by leaves it out", async () => {
    const { alice, bob: other } = people;
    const watched = await makeRepository(api, alice);
    await done();
    const { number } = await openIssue(api, watched, other);
    await done();
    expect(await typesOf(api, at(alice), alice)).toEqual(["create_issue", "create_repo"]);
    const { rows } = await feedOf(api, at(alice), other);
    expect(rows[0]).toMatchObject({
      user_id: alice.user.id,
      act_user_id: other.user.id,
      content: `${number}|An issue`,
    });
    expect(await typesOf(api, at(alice), alice, "?only-performed-by=true")).toEqual(["create_repo"]);
    await api.call("DELETE", `${watched.path}/subscription`, { as: alice });
    expect(await typesOf(api, at(alice), alice)).toEqual(["create_repo"]);
  });

  it("200: merges what many repositories tell in the order of time, and pages it", async () => {
    const { alice, bob: other } = people;
    const all: TestRepository[] = [];
    for (let made = 0; made < 4; made += 1) all.push(await makeRepository(api, alice));
    await done();
    const titles: string[] = [];
    for (const [turn, place] of [0, 1, 2, 3, 2, 1, 0].entries()) {
      titles.unshift(`No. ${turn}`);
      await openIssue(api, all[place] as TestRepository, other, { title: `No. ${turn}` });
      await done();
    }
    const { rows, total } = await feedOf(api, at(alice), alice, "?limit=7");
    expect(rows.map(({ content }) => content.split("|")[1])).toEqual(titles);
    expect(total).toBe(11);
    const second = await feedOf(api, at(alice), alice, "?limit=3&page=2");
    expect(second.rows.map(({ content }) => content.split("|")[1])).toEqual(titles.slice(3, 6));
    expect(second.answer.headers.get("link")).toContain('rel="next"');
    expect((await feedOf(api, at(alice), alice, "?limit=3&page=9")).rows).toEqual([]);
    expect((await feedOf(api, at(alice), alice, "?page=99999999&limit=-1")).rows).toEqual([]);
  });

  it("200: hidden activity is for the user and administrators, as soon as they say so and no longer", async () => {
    const { alice, bob: other } = people;
    const watched = await makeRepository(api, other);
    await done();
    await openIssue(api, watched, alice);
    await done();
    const hide = (isHidden: boolean) =>
      api.call("PATCH", "/user/settings", { as: alice, body: { hide_activity: isHidden } });
    const seen = async (as?: Caller) => [
      await typesOf(api, at(alice), as),
      await typesOf(api, watched.path, as),
      await heatOf(api, alice.name, as),
    ];
    const open = [["create_issue"], ["create_issue", "create_repo"], 1];
    expect(await seen(other)).toEqual(open);
    await hide(true);
    for (const as of [undefined, other]) expect(await seen(as)).toEqual([[], ["create_repo"], 0]);
    for (const as of [alice, boss]) expect(await seen(as)).toEqual(open);
    await hide(false);
    expect(await seen()).toEqual(open);
  });

  it("200: of private users strangers learn nothing, and anonymous callers only of public ones", async () => {
    const { alice, bob: other } = people;
    const place = await makeRepository(api, other);
    await done();
    const shy = await api.makeUser({ visibility: "limited" });
    const hidden = await api.makeUser({ visibility: "private" });
    for (const who of [shy, hidden, alice]) {
      await openIssue(api, place, who, { title: who.name });
      await done();
    }
    const actors = async (as?: Caller) =>
      (await feedOf(api, place.path, as)).rows.map(({ act_user: actor }) => actor.login);
    expect(await actors()).toEqual([alice.name, other.name]);
    expect(await actors(alice)).toEqual([alice.name, shy.name, other.name]);
    expect(await actors(boss)).toEqual([alice.name, hidden.name, shy.name, other.name]);
    expect((await api.call("GET", `${at(hidden)}/activities/feeds`, { as: alice })).status).toBe(404);
    expect((await api.call("GET", `${at(hidden)}/heatmap`)).status).toBe(404);
  });

  it("200: a lost collaborator sees nothing of the repository any more, nor does a token of public scope", async () => {
    const { alice, bob: other } = people;
    const secret = await privateOf(alice, other);
    await openIssue(api, secret, other);
    await done();
    expect(await typesOf(api, at(other), other)).toEqual(["create_issue"]);
    const limited = { ...other, token: await api.makeToken(other, ["read:user", "public-only"]) };
    expect(await typesOf(api, at(other), limited)).toEqual([]);
    await api.call("DELETE", `${secret.path}/collaborators/${other.name}`, { as: alice });
    expect([await typesOf(api, at(other), other), await heatOf(api, other.name, other)]).toEqual([[], 0]);
    expect((await api.call("GET", `${secret.path}/activities/feeds`, { as: other })).status).toBe(404);
  });

  it("404: nobody of this name", async () => {
    expect((await api.call("GET", "/users/nobody-there/activities/feeds")).status).toBe(404);
  });
});

describe("repoListActivityFeeds", () => {
  it("200: only what the caller may read in it, and nothing of what is gone", async () => {
    const { alice, eve } = people;
    const place = await makeRepository(api, alice);
    const { number } = await openIssue(api, place, alice);
    const comment = await addComment(api, place, number, alice);
    await done();
    expect((await typesOf(api, place.path, eve)).sort()).toEqual([
      "comment_issue",
      "create_issue",
      "create_repo",
    ]);
    await api.call("DELETE", `${place.path}/issues/comments/${comment.id}`, { as: alice });
    expect((await typesOf(api, place.path, eve)).sort()).toEqual(["create_issue", "create_repo"]);
    await api.call("PATCH", place.path, { as: alice, body: { has_issues: false } });
    expect(await typesOf(api, place.path, eve)).toEqual(["create_repo"]);
    await api.call("PATCH", place.path, { as: alice, body: { has_issues: true } });
    await api.call("DELETE", `${place.path}/issues/${number}`, { as: alice });
    expect(await typesOf(api, place.path, eve)).toEqual(["create_repo"]);
  });
});
