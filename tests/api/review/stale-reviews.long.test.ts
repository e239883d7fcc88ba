import { describe, expect, it } from "vitest";
import type { ObjectId } from "#core/git/format/object-format";
import { pushFiles } from "#tests/support/code";
import { reviewedPulls } from "./reviewed-pulls.ts";

const { api, alice, bob, carol, kept, served, made, makePull, push, review, reviews, problems, lacking } =
  reviewedPulls();

describe("approvals and pushes (semantics §12.4)", () => {
  it("ignore_stale_approvals: it counts while the base is merged in and moves the lines", async () => {
    await makePull({ required_approvals: 1, ignore_stale_approvals: true, enable_push: true });
    await review({ event: "APPROVED" });
    const main = await pushFiles(api, alice, made.name, { files: { "kept.txt": kept("6", "0\n00\n") } });
    const merged = { branch: "topic", files: { "kept.txt": kept("six", "0\n00\n") }, merges: [main] };
    await pushFiles(api, alice, made.name, merged);
    expect(await reviews()).toMatchObject([{ stale: false }]);
    expect(await problems()).toEqual([]);
  });

  it("dismiss_stale_approvals: an approval of what the head was does not count, however late it comes", async () => {
    await makePull({ required_approvals: 1, dismiss_stale_approvals: true });
    const { json } = await api.call("GET", `${made.base}/pulls/1`, { as: bob });
    const pending = await review({ event: "PENDING", body: "looks good" });
    await push("sechs");
    expect(await review({ event: "APPROVED", commit_id: json.head.sha }, carol)).toMatchObject({
      stale: true,
    });
    const path = `${made.base}/pulls/1/reviews/${pending.id}`;
    const submitted = await api.call("POST", path, { as: bob, body: { event: "APPROVED" } });
    expect(submitted.json).toMatchObject({ stale: true, official: true, commit_id: json.head.sha });
    expect(await problems()).toEqual(lacking);
    expect((await reviews()).find(({ id }: { id: number }) => id === pending.id).dismissed).toBe(true);
  });

  it("a submission that races a push is about the commit that its author saw", async () => {
    await makePull({ required_approvals: 1, ignore_stale_approvals: true });
    const [made, head] = await Promise.all([
      review({ event: "APPROVED" }),
      push("sechs") as Promise<ObjectId>,
    ]);
    const [now] = await reviews();
    expect([now.id, now.stale]).toEqual([made.id, made.commit_id !== head]);
    expect(await problems()).toEqual(made.commit_id === head ? [] : lacking);
  });
});

describe("reviewers who lost their rights", () => {
  const bobsRole = (permission?: string) =>
    permission === undefined
      ? api.call("DELETE", `${made.base}/collaborators/bob`, { as: alice })
      : api.call("PUT", `${made.base}/collaborators/bob`, { as: alice, body: { permission } });

  it("neither a rejection nor a request of a user who may no longer write keeps a merge waiting", async () => {
    const rule = { block_on_rejected_reviews: true, block_on_official_review_requests: true };
    for (const said of [true, false]) {
      await makePull(rule);
      const body = { reviewers: ["bob"] };
      if (said) await review({ event: "REQUEST_CHANGES", body: "no" });
      else await api.call("POST", `${made.base}/pulls/1/requested_reviewers`, { as: alice, body });
      expect(await problems()).toHaveLength(1);
      await bobsRole("read");
      expect(await problems()).toEqual([]);
      await bobsRole("write");
      expect(await problems()).toHaveLength(1);
    }
  });

  it("a request keeps no merge waiting for an account that was switched off", async () => {
    const root = await api.makeUser({ name: "root", isAdmin: true });
    await api.makeUser({ name: "dora" });
    await makePull({ block_on_official_review_requests: true });
    await api.call("PUT", `${made.base}/collaborators/dora`, { as: alice, body: { permission: "write" } });
    const body = { reviewers: ["dora"] };
    await api.call("POST", `${made.base}/pulls/1/requested_reviewers`, { as: alice, body });
    expect(await problems()).toHaveLength(1);
    const inactive = { as: root, body: { active: false, login_name: "dora", source_id: 0 } };
    expect((await api.call("PATCH", "/admin/users/dora", inactive)).status).toBe(200);
    expect(await problems()).toEqual([]);
  });
});

describe("repoGetPullReviewComments, after pushes to the head (semantics §46.2)", () => {
  it("200: commit_id is the commit that last changed the line, as git blame tells (semantics §46.1)", async () => {
    await makePull({});
    const path = "kept.txt";
    const push = (content: string, more: object = {}) =>
      pushFiles(api, alice, made.name, { branch: "topic", files: { [path]: content }, ...more });
    const top = await push(kept("six", "top\n"));
    const other = await push(kept("six", "top\n").replace("9\n", "nine\n"));
    await pushFiles(api, alice, made.name, { branch: "side", from: "topic", files: { "side.txt": "" } });
    const side = await pushFiles(api, alice, made.name, {
      ...{ branch: "side", files: { [path]: kept("six", "top\n").replace("9\n", "nine\nten\n") } },
    });
    const head = await push(kept("six", "top\n").replace("9\n", "nine\nten\n"), { merges: [side] });
    const copy = await served(made.name);
    const blamed = (await copy.git("blame", "-s", "-l", "--root", "origin/topic", "--", path))
      .split("\n")
      .map((line) => line.slice(0, 40));
    expect(new Set(blamed)).toContain(top);
    expect(blamed.slice(-2)).toEqual([other, side]);
    const lines = blamed.map((_id, at) => at + 1);
    const comments = lines.map((line) => ({ path, body: `${line}`, new_position: line }));
    const { id } = await review({ event: "COMMENT", comments });
    const shown = await api.call("GET", `${made.base}/pulls/1/reviews/${id}/comments`, { as: carol });
    expect(shown.json.map((one: { commit_id: string }) => one.commit_id)).toEqual(blamed);
    expect(new Set(shown.json.map((one: { original_commit_id: string }) => one.original_commit_id))).toEqual(
      new Set([head]),
    );
  });
});
