import { describe, expect, it } from "vitest";
import { createBlock, removeBlock } from "#core/block/block";
import { readConfig } from "#core/config";
import { editIssue } from "#core/issue/edit";
import type { Repository } from "#core/repository/repository.table";
import { createToken } from "#core/token/token";
import { SimulatedCrash } from "#tests/support/faults";
import { setIssue, setRepository } from "#tests/support/set-listed";
import { issuesPlace, main, side } from "./issues-place.ts";

const place = issuesPlace();
const { tips, open, issue, timeline, stored, types, push, move, pushMessage, work, lastPush, pushAs } = place;

/** A repository that is made while DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH has this value. */
async function madeWith(value: string): Promise<Repository> {
  const { config } = place.world.forge;
  const { defaultCloseIssuesInAnyBranch } = readConfig({
    DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH: value,
  });
  Object.assign(place.world.forge, { config: { ...config, defaultCloseIssuesInAnyBranch } });
  const made = await place.world.makeRepository();
  Object.assign(place.world.forge, { config });
  return made;
}

describe("a push (semantics §20.4)", () => {
  it("is told of once, wherever the worker is killed", async () => {
    await push(["closes #1 @2h, see #2", "reopens #1, #2"]);
    const message = await pushMessage();
    for (let write = 1; ; write += 1) {
      place.world.test.faults.crashAt(write, write % 2 === 0 ? "before" : "after");
      await work(message).catch((error: unknown) => {
        if (!(error instanceof SimulatedCrash)) throw error;
      });
      const { hasCrashed } = place.world.test.faults;
      place.world.test.faults.recover();
      place.world.test.clock.advance(120_000);
      if (!hasCrashed) break;
    }
    await work({ ...message, eventId: "another" });
    expect(await types(1)).toEqual(["commit_ref", "add_time_manual", "close", "commit_ref", "reopen"]);
    expect(await types(2)).toEqual(["commit_ref", "commit_ref"]);
  });

  it("to any branch closes where the repository was made so, whatever branch the issue names (semantics §31)", async () => {
    place.repository = await madeWith("true");
    for (const title of ["one", "two"]) await open(title);
    tips.clear();
    await push(["first"]);
    await editIssue(
      place.world.forge,
      place.world.accessTo(place.repository),
      2,
      { ref: "refs/heads/v2" },
      place.world.actor,
    );
    const [id = ""] = await push(["fixes: #1, closes #2"], side);
    await place.world.runEvents();
    for (const number of [1, 2]) {
      const last = (await types(number)).slice(-2);
      expect([last, (await issue(number)).isClosed]).toEqual([["commit_ref", "close"], true]);
    }
    await editIssue(
      place.world.forge,
      place.world.accessTo(place.repository),
      1,
      { isClosed: false },
      place.world.actor,
    );
    await move(main, id);
    await place.world.runEvents();
    expect((await issue(1)).isClosed).toBe(false);
  });

  it("DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH says so of repositories that are made while it is set", async () => {
    const [before, during] = [place.repository, await madeWith("true")];
    expect((await madeWith("false")).closesIssuesInAnyBranch).toBeUndefined();
    expect([before.closesIssuesInAnyBranch, during.closesIssuesInAnyBranch]).toEqual([undefined, true]);
  });

  it("books the time that stands behind a closing reference: a day has eight hours, a week five days", async () => {
    await push(["closes #1 @1h30m, fixes #2: @1d\n", "see #3 @5h closes #3 @1w2d."]);
    await place.world.runEvents();
    const time = ({ tracked_time }: Record<string, unknown>) =>
      (tracked_time as { time: number } | null)?.time ?? 0;
    expect(await types(1)).toEqual(["commit_ref", "add_time_manual", "close"]);
    const booked = await Promise.all([1, 2, 3].map(async (number) => (await timeline(number)).map(time)));
    expect(booked).toEqual([
      [0, 5_400, 0],
      [0, 0],
      [0, 7 * 8 * 3_600, 0],
    ]);
  });
});

describe("a push by somebody else", () => {
  it("tells nothing where the pusher may not comment: locked, blocked, hidden, archived, nobody any more", async () => {
    await setIssue(place.world.forge, place.repository.id, 1, { isLocked: true });
    await pushAs(place.other, "see #1");
    await createBlock(place.world.forge, place.world.owner, place.other);
    await pushAs(place.other, "see #2");
    await removeBlock(place.world.forge, place.world.owner.id, place.other.id);
    for (const hiding of [{ isPrivate: true }, { isArchived: true }]) {
      const message = await lastPush("see #3");
      await setRepository(place.world.forge, place.repository.id, hiding);
      await work({ ...message, actorId: place.other.id });
      await setRepository(place.world.forge, place.repository.id, { isPrivate: false, isArchived: false });
    }
    await work({ ...(await lastPush("see #3")), actorId: 99_999 });
    expect([await types(1), await types(2), await types(3)]).toEqual([[], [], []]);
  });
});

describe("a push with a token that is limited to what is public", () => {
  it("tells and closes nothing in a private repository, though its user could", async () => {
    const target = place.repository;
    place.repository = await place.world.makeRepository();
    await setRepository(place.world.forge, target.id, { isPrivate: true });
    const granted = { name: place.repository.name, scopes: ["all", "public-only"] };
    const { text: token } = await createToken(place.world.forge, place.world.owner, granted);
    const pushFile = async (path: string, headers: Record<string, string>) => {
      const body = JSON.stringify({ content: "", message: `closes olga/${target.name}#1` });
      const made = await place.app.request(`/api/v1/repos/Olga/${place.repository.name}/contents/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      });
      expect(made.status).toBe(201);
      await place.world.runEvents();
      place.repository = target;
      const told = (await stored(1)).map(({ type }) => type);
      return [told, (await issue(1)).isClosed];
    };
    const pushedTo = place.repository;
    expect(await pushFile("a", { authorization: `token ${token}` })).toEqual([[], false]);
    place.repository = pushedTo;
    const password = Buffer.from("Olga:correct-horse-9").toString("base64");
    expect(await pushFile("b", { authorization: `Basic ${password}` })).toEqual([
      ["commit_ref", "close"],
      true,
    ]);
  });
});
