import { describe, expect, it } from "vitest";
import { followPush } from "#core/commit-reference/commit-reference";
import { createDependency } from "#core/dependency/dependency";
import { readPushedRefs } from "#core/git/store/refs/pushed-refs";
import { editIssue } from "#core/issue/edit";
import type { EventOf } from "#functions/workers/event-shapes";
import { measured } from "#tests/support/measured";
import { setRepository } from "#tests/support/set-listed";
import { issuesPlace, main, side } from "./issues-place.ts";

const place = issuesPlace();
const { tips, open, issue, timeline, stored, types, push, move, pushMessage, work, pushAs } = place;

describe("a push (semantics §20.4)", () => {
  it("to the default branch closes what a commit closes, after the entry of the commit", async () => {
    const [id] = await push(["Closes #1, see #2 <b>\n\nbody"]);
    await place.world.runEvents();
    const href = `http://127.0.0.1:3000/Olga/${place.repository.name}/commit/${id}`;
    const told = { type: "commit_ref", ref_commit_sha: id, user: { login: "Olga" } };
    const body = `<a href="${href}">Closes #1, see #2 &lt;b&gt;</a>`;
    expect(await timeline(1)).toMatchObject([
      { ...told, body, ref_action: "", ref_issue: null },
      { type: "close", ref_commit_sha: id, body: "" },
    ]);
    expect(await timeline(2)).toMatchObject([{ ...told, body }]);
    expect([(await issue(1)).isClosed, (await issue(2)).isClosed]).toEqual([true, false]);
  });

  it("to another branch only tells of the commit; once it comes to the default branch, it closes", async () => {
    const [id = ""] = await push(["fixes: #1"], side);
    await place.world.runEvents();
    expect([await types(1), (await issue(1)).isClosed]).toEqual([["commit_ref"], false]);
    await move(main, id);
    await place.world.runEvents();
    expect(await types(1)).toEqual(["commit_ref", "close"]);
  });

  it("reopens, oldest commit first; each reference needs its own keyword", async () => {
    await push(["close #1 #2", "reopens #1"]);
    await place.world.runEvents();
    expect(await types(1)).toEqual(["commit_ref", "close", "commit_ref", "reopen"]);
    expect([(await issue(1)).isClosed, (await issue(2)).isClosed]).toEqual([false, false]);
  });

  it("to the branch that an issue names closes it, the default branch does not then", async () => {
    await editIssue(
      place.world.forge,
      place.world.accessTo(place.repository),
      1,
      { ref: "refs/heads/v2" },
      place.world.actor,
    );
    await editIssue(
      place.world.forge,
      place.world.accessTo(place.repository),
      2,
      { ref: "main" },
      place.world.actor,
    );
    await push(["closes #1, closes #2"]);
    await place.world.runEvents();
    expect([(await issue(1)).isClosed, (await issue(2)).isClosed]).toEqual([false, true]);
  });

  it("of a new branch tells of its last ten commits", async () => {
    const messages = Array.from({ length: 12 }, (_, at) => `${at} ${at < 2 ? "#1" : at === 2 ? "#2" : ""}`);
    await push(messages, side);
    await place.world.runEvents();
    expect([await types(1), await types(2)]).toEqual([[], ["commit_ref"]]);
  });

  it("leaves open what waits for open issues, and what is closed already closed", async () => {
    const access = place.world.accessTo(place.repository);
    await createDependency(
      place.world.forge,
      place.world.actor,
      { access, number: 1 },
      { access, number: 2 },
    );
    await editIssue(place.world.forge, access, 3, { isClosed: true }, place.world.actor);
    await push(["closes #1 closes #3"]);
    await place.world.runEvents();
    expect((await issue(1)).isClosed).toBe(false);
    expect(await types(3)).toEqual(["close", "commit_ref"]);
  });

  it("of the same message twice, and of the same commits again, tells once", async () => {
    const [id = ""] = await push(["closes #1"]);
    const message = await pushMessage();
    await work(message);
    await editIssue(
      place.world.forge,
      place.world.accessTo(place.repository),
      1,
      { isClosed: false },
      place.world.actor,
    );
    await work({ ...message, eventId: "another" });
    await move(side, id);
    await place.world.runEvents();
    expect(await types(1)).toEqual(["commit_ref", "close", "reopen"]);
  });

  it("of commits that name nothing takes two requests to the table, beside the one for the log", async () => {
    await push(["nothing", "a#1"]);
    const { repositoryId, actorId, version } = (await pushMessage()) as never as EventOf<"push">;
    const changes = await readPushedRefs(place.world.forge.table, repositoryId, version);
    const { usage } = await measured(() => followPush(place.world.forge, { repositoryId, actorId, changes }));
    expect(usage.tableRequests).toBe(2);
  });
});

describe("a push by somebody else", () => {
  it("closes the pusher's own issues; of others only tells, unless the pusher may write them", async () => {
    await open("theirs", { user: place.other });
    await pushAs(place.other, "closes #1 @1h, closes #4");
    expect([await types(1), await types(4)]).toEqual([["commit_ref"], ["commit_ref", "close"]]);
  });

  it("into another repository: by rights there; who may not read the code here does not see it there", async () => {
    const target = place.repository;
    place.repository = await place.world.makeRepository();
    tips.clear();
    await setRepository(place.world.forge, place.repository.id, { isPrivate: true });
    await push([`closes olga/${target.name}#1`, `see OLGA/${target.name}#2 and olga/absent#1 #1`]);
    await place.world.runEvents();
    place.repository = target;
    expect(await timeline(1)).toMatchObject([{ type: "close", ref_commit_sha: "" }]);
    expect(await timeline(2)).toEqual([]);
    expect((await stored(2)).map(({ type }) => type)).toEqual(["commit_ref"]);
  });
});

describe("a push with more than is told of", () => {
  it("is cut: 50 issues of a commit", async () => {
    const absent = Array.from({ length: 49 }, (_, at) => `#${at + 100}`);
    await push([[...absent, "#1", "#2"].join(" ")]);
    await place.world.runEvents();
    expect([await types(1), await types(2)]).toEqual([["commit_ref"], []]);
  });
});
