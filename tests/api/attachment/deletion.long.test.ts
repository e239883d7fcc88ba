import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { purgeIssue } from "#core/issue/removal/purge";
import { clearSome } from "#core/lifecycle/end-of-issue";
import { cardKey } from "#core/repository/repository.table";
import { tick } from "#functions/workers/tick";
import { finishJobs } from "#tests/support/jobs";
import { addComment, openIssue } from "../issue/make.ts";
import { type AttachmentWorld, startAttachments } from "./world.ts";

let world: AttachmentWorld;
beforeAll(async () => {
  world = await startAttachments();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());
const hour = 3_600_000;

describe("attachments of what is deleted", () => {
  it("go with a comment: hidden at once, removed by the tick", async () => {
    const { browser_download_url: url } = await world.upload(world.onComment(), world.author);
    await world.upload(world.onIssue(), world.author, { bytes: "stays" });
    await world.api.call("DELETE", `${world.where.path}/issues/comments/${world.commentId}`, {
      as: world.author,
    });
    expect((await world.ask(url)).status).toBe(404);
    await tick(world.api.forge);
    expect([await world.usage(), await world.itemsLeft()]).toEqual([[1, 5], 1]);
    world.api.clock.advance(2 * hour);
    await tick(world.api.forge);
    expect(await world.filesLeft()).toBe(1);
  });

  it("go with an issue, those of its comments too", async () => {
    const urls = [
      await world.upload(world.onIssue(), world.author),
      await world.upload(world.onComment(), world.author),
    ].map(({ browser_download_url: url }) => url);
    const issue = { repositoryId: world.where.repository.id, number: 1 };
    await purgeIssue(world.api.forge, clearSome, issue);
    for (const url of urls) expect((await world.ask(url)).status).toBe(404);
    await tick(world.api.forge);
    expect([await world.usage(), await world.itemsLeft()]).toEqual([[0, 0], 0]);
    world.api.clock.advance(2 * hour);
    await tick(world.api.forge);
    expect(await world.filesLeft()).toBe(0);
  });

  it("go with a purged user who wrote the issue or comment; their attachments to those of others stay (B-14)", async () => {
    const [admin, leaving] = [await world.api.makeUser({ isAdmin: true }), await world.api.makeUser()];
    const body = { permission: "write" };
    await world.api.call("PUT", `${world.where.path}/collaborators/${leaving.name}`, {
      as: world.owner,
      body,
    });
    await openIssue(world.api, world.where, leaving);
    const own = await addComment(world.api, world.where, 1, leaving);
    const gone = [
      await world.upload(world.onIssue(2), leaving),
      await world.upload(world.onComment(own.id), leaving),
    ];
    const stays = await world.upload(world.onIssue(), leaving, { bytes: "stays" });
    const path = `/admin/users/${leaving.name}?purge=true`;
    expect((await world.api.call("DELETE", path, { as: admin })).status).toBe(204);
    await finishJobs(world.api);
    await tick(world.api.forge);
    for (const { browser_download_url: url } of gone) expect((await world.ask(url)).status).toBe(404);
    expect((await world.issue()).assets).toEqual([stays]);
    const file = await world.ask(stays.browser_download_url);
    expect([file.status, file.text]).toEqual([200, "stays"]);
    expect([await world.usage(), await world.itemsLeft()]).toEqual([[1, 5], 1]);
    world.api.clock.advance(2 * hour);
    await tick(world.api.forge);
    expect(await world.filesLeft()).toBe(1);
  });

  it("go with their repository; their usage moves with it to another owner", async () => {
    const { browser_download_url: url } = await world.upload(world.onIssue(), world.author);
    const body = { new_owner: world.reader.name };
    await world.api.call("POST", `${world.where.path}/transfer`, { as: world.owner, body });
    const [, , , name] = world.where.path.split("/");
    const accepted = await world.api.call("POST", `${world.where.path}/transfer/accept`, {
      as: world.reader,
    });
    expect(accepted.status).toBe(202);
    const card = await world.api.forge.table.get(cardKey(world.reader.user.id, world.where.repository.id));
    expect([card?.issueAttachments, card?.issueAttachmentBytes]).toEqual([1, 5]);
    await world.upload(`/repos/${world.reader.name}/${name}/issues/1/assets`, world.reader, {
      bytes: "more",
    });
    await world.api.call("DELETE", `/repos/${world.reader.name}/${name}`, { as: world.reader });
    expect((await world.ask(url, { as: world.reader })).status).toBe(404);
    const { emptyRepository } = await import("#core/lifecycle/end-of-repository");
    const args = { repositoryId: world.where.repository.id, hiddenAt: world.api.clock.now() };
    let cursor: Parameters<typeof emptyRepository.step>[2];
    for (;;) {
      const step = await emptyRepository.step(world.api.forge, args, cursor);
      if ("done" in step || step.waitMs !== undefined) break;
      cursor = step.cursor;
    }
    expect([await world.itemsLeft(), await world.filesLeft()]).toEqual([0, 0]);
  });
});
