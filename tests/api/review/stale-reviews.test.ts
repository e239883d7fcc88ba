import { describe, expect, it } from "vitest";
import { pushFiles } from "#tests/support/code";
import { reviewedPulls } from "./reviewed-pulls.ts";

const { api, alice, bob, carol, kept, made, makePull, push, review, reviews, problems, lacking } =
  reviewedPulls();

describe("approvals and pushes (semantics §12.4)", () => {
  it("an approval of an older change counts without either flag, and shows that it is stale", async () => {
    await makePull({ required_approvals: 1 });
    expect(await problems()).toEqual(lacking);
    await review({ event: "APPROVED" });
    expect(await problems()).toEqual([]);
    await push("sechs");
    expect(await reviews()).toMatchObject([{ stale: true, dismissed: false, official: true }]);
    expect(await problems()).toEqual([]);
  });

  it("ignore_stale_approvals: it counts no longer, and again when the change is back (B-11a)", async () => {
    await makePull({ required_approvals: 1, ignore_stale_approvals: true });
    await review({ event: "APPROVED" });
    await push("sechs");
    expect(await problems()).toEqual(lacking);
    expect(await reviews()).toMatchObject([{ stale: true, dismissed: false }]);
    await push("six");
    expect(await problems()).toEqual([]);
    expect(await reviews()).toMatchObject([{ stale: false }]);
  });

  it("dismiss_stale_approvals: the push dismisses it, told in the timeline once; taken back, it counts (B-11b)", async () => {
    await makePull({ required_approvals: 1, dismiss_stale_approvals: true });
    const { id } = await review({ event: "APPROVED" });
    await push("sechs");
    await Promise.all([reviews(), reviews()]);
    expect(await reviews()).toMatchObject([{ dismissed: true, stale: true }]);
    expect(await problems()).toEqual(lacking);
    const { json } = await api.call("GET", `${made.base}/issues/1/timeline`, { as: carol });
    const told = json.filter(({ type }: { type: string }) => type === "dismiss_review");
    expect(told).toMatchObject([{ review_id: id, user: { login: "alice" } }]);
    await api.call("POST", `${made.base}/pulls/1/reviews/${id}/undismissals`, { as: alice });
    expect(await problems()).toEqual([]);
    await push("seis");
    expect(await problems()).toEqual(lacking);
  });

  it("405 for a merge with a stale approval that is ignored, 200 after another one (B-11a)", async () => {
    await makePull({ required_approvals: 1, ignore_stale_approvals: true });
    await review({ event: "APPROVED" });
    await push("sechs");
    const merge = async () => {
      const { status, json } = await api.call("POST", `${made.base}/pulls/1/merge`, {
        as: bob,
        body: { Do: "merge" },
      });
      return [status, json?.message ?? ""];
    };
    const [status, message] = await merge();
    expect(status).toBe(405);
    expect(message).toContain(lacking[0]);
    await review({ event: "APPROVED" });
    expect(await merge()).toEqual([200, ""]);
    expect(await reviews()).toMatchObject([{ official: false }, { official: true, stale: false }]);
  });

  it("a reader's approval does not count, and one of a listed reader does", async () => {
    await makePull({ required_approvals: 1 });
    await review({ event: "APPROVED" }, carol);
    expect(await problems()).toEqual(lacking);
    const body = { enable_approvals_whitelist: true, approvals_whitelist_username: ["carol"] };
    await api.call("PATCH", `${made.base}/branch_protections/main`, { as: alice, body });
    expect(await review({ event: "APPROVED" }, carol)).toMatchObject({ official: true });
    expect(await problems()).toEqual([]);
  });

  it("rejections and official requests block where the rule says so", async () => {
    await makePull({ block_on_rejected_reviews: true, block_on_official_review_requests: true });
    const { id } = await review({ event: "REQUEST_CHANGES", body: "no" });
    expect(await problems()).toEqual(["a reviewer asks for changes"]);
    const body = { message: "" };
    await api.call("POST", `${made.base}/pulls/1/reviews/${id}/dismissals`, { as: alice, body });
    expect(await problems()).toEqual([]);
    const ask = { as: alice, body: { reviewers: ["bob"] } };
    await api.call("POST", `${made.base}/pulls/1/requested_reviewers`, ask);
    expect(await problems()).toEqual(["a requested review is not there yet"]);
    await review({ event: "COMMENT", body: "seen" });
    expect(await problems()).toEqual([]);
  });
});

describe("reviewers who lost their rights", () => {
  const bobsRole = (permission?: string) =>
    permission === undefined
      ? api.call("DELETE", `${made.base}/collaborators/bob`, { as: alice })
      : api.call("PUT", `${made.base}/collaborators/bob`, { as: alice, body: { permission } });
  const official = async () => (await reviews()).map((one: { official: boolean }) => one.official);

  it("an approval counts as long as its author may write, and shows that; listed ones as long as they may read", async () => {
    await makePull({ required_approvals: 1 });
    await review({ event: "APPROVED" });
    expect([await problems(), await official()]).toEqual([[], [true]]);
    await bobsRole("read");
    expect([await problems(), await official()]).toEqual([lacking, [false]]);
    const body = { enable_approvals_whitelist: true, approvals_whitelist_username: ["bob"] };
    await bobsRole("write");
    await api.call("PATCH", `${made.base}/branch_protections/main`, { as: alice, body });
    await bobsRole();
    expect([await problems(), await official()]).toEqual([[], [true]]);
    await api.call("PATCH", made.base, { as: alice, body: { private: true } });
    expect(await problems()).toEqual(lacking);
  });
});

describe("repoGetPullReviewComments, after pushes to the head (semantics §46.2)", () => {
  it("200: a comment keeps its line, its commit and its hunk while the line moves, changes and goes, on both sides", async () => {
    await makePull({});
    const path = "kept.txt";
    const comments = [
      { path, body: "new side", new_position: 6 },
      { path, body: "old side", old_position: 6 },
    ];
    const { id, commit_id: commitId } = await review({ event: "COMMENT", comments });
    const shown = async () =>
      (await api.call("GET", `${made.base}/pulls/1/reviews/${id}/comments`, { as: carol })).json;
    const before = await shown();
    expect(before).toMatchObject([
      { position: 6, original_position: 0, commit_id: commitId, original_commit_id: commitId },
      { position: 0, original_position: 6, commit_id: commitId, original_commit_id: commitId },
    ]);
    for (const content of [kept("six", "first\n"), kept("other"), "1\n"]) {
      await pushFiles(api, alice, made.name, { branch: "topic", from: "main", files: { [path]: content } });
      expect((await api.call("GET", `${made.base}/pulls/1`, { as: carol })).json.head.sha).not.toBe(commitId);
      expect(await shown()).toEqual(before);
    }
  });

  it("404 for a comment of a pending review by every other way that leads to comments", async () => {
    await makePull({});
    const comments = [{ path: "kept.txt", body: "mine", new_position: 6 }];
    const { id } = await review({ event: "PENDING", comments });
    const own = await api.call("GET", `${made.base}/pulls/1/reviews/${id}/comments`, { as: bob });
    const at = `${made.base}/issues/comments/${own.json[0].id}`;
    expect(await api.call("GET", at, { as: carol })).not.toMatchObject({ status: 200 });
    const reaction = { as: carol, body: { content: "heart" } };
    const answers = await Promise.all([
      api.call("GET", `${at}/reactions`, { as: carol }),
      api.call("POST", `${at}/reactions`, reaction),
      api.call("PATCH", at, { as: alice, body: { body: "taken" } }),
      api.call("GET", `${at}/assets`, { as: carol }),
    ]);
    expect(JSON.stringify(answers.map(({ json }) => json))).not.toContain("mine");
    expect(answers.filter(({ status }) => status < 300 && status !== 204)).toEqual([]);
    const lists = await api.call("GET", `${made.base}/issues/comments`, { as: carol });
    expect(JSON.stringify(lists.json)).not.toContain("mine");
    expect((await api.call("DELETE", at, { as: alice })).status).not.toBe(500);
    expect(
      (await api.call("GET", `${made.base}/pulls/1/reviews/${id}/comments`, { as: bob })).json,
    ).toHaveLength(1);
  });
});
