import { describe, expect, it } from "vitest";
import { pushToRepository } from "#core/repository/push";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { protectedPulls } from "./protected-pulls.ts";

const { api, alice, bob, repositories, merge, report, isMerged, work, guarded } = protectedPulls();

describe("repoMergePullRequest with merge_when_checks_succeed (semantics §22.6)", () => {
  const later = {
    merge_when_checks_succeed: true,
    MergeTitleField: "Later",
    delete_branch_after_merge: true,
  };

  it.each([
    ["dismissed", "POST", "/dismissals"],
    ["removed", "DELETE", ""],
  ])("is merged once the rejection that stood in its way is %s", async (what, method, path) => {
    const { repository, number } = await guarded(`rejected-${what}`, { block_on_rejected_reviews: true });
    const reviews = `${repository}/pulls/${number}/reviews`;
    const body = { event: "REQUEST_CHANGES", body: "no" };
    const { json } = await api.call("POST", reviews, { as: bob, body });
    expect((await merge(repository, number)).json.message).toContain("a reviewer asks for changes");
    expect((await merge(repository, number, later)).status).toBe(201);
    await work();
    expect(await isMerged(repository, number)).toBe(false);
    const as = method === "DELETE" ? bob : alice;
    await api.call(method, `${reviews}/${json.id}${path}`, { as, ...(path && { body: {} }) });
    await work();
    expect(await isMerged(repository, number)).toBe(true);
  });

  it("is merged once nobody is asked for a review any more, by a withdrawal or an answer", async () => {
    const rule = { block_on_official_review_requests: true, enable_status_check: true };
    for (const isAnswered of [true, false]) {
      const { repository, head, number } = await guarded(`asked-${isAnswered}`, rule);
      const [requested, body] = [`${repository}/pulls/${number}/requested_reviewers`, { reviewers: ["bob"] }];
      await api.call("POST", requested, { as: alice, body });
      await report(repository, head, "success");
      expect((await merge(repository, number)).json.message).toContain("a requested review is not there yet");
      expect((await merge(repository, number, later)).status).toBe(201);
      await work();
      expect(await isMerged(repository, number)).toBe(false);
      const answer = { as: bob, body: { event: "COMMENT", body: "seen" } };
      if (isAnswered) await api.call("POST", `${repository}/pulls/${number}/reviews`, answer);
      else await api.call("DELETE", requested, { as: alice, body });
      await work();
      expect(await isMerged(repository, number)).toBe(true);
    }
  });

  it("waits on while the user may no longer merge", async () => {
    const { repository, head, number } = await guarded("demoted", { rule_name: "other" });
    expect((await merge(repository, number, later, bob)).status).toBe(201);
    await api.call("PUT", `${repository}/collaborators/bob`, { as: alice, body: { permission: "read" } });
    await report(repository, head, "success");
    await work();
    expect(await isMerged(repository, number)).toBe(false);
  });

  it("merges all that wait for one check, however many, a few of them for each message", async () => {
    const { repository, head } = await guarded("many", { rule_name: "other" });
    const { json } = await api.call("GET", repository, { as: alice });
    const tip = await repositories.tipOf(repository, "main");
    const bases = Array.from({ length: 21 }, (_, at) => `base-${at}`);
    const changes = bases.map((base) => ({ name: `refs/heads/${base}`, new: tip }));
    const place = { id: json.id, ownerId: json.owner.id };
    await pushToRepository(api.forge, place, { user: alice.user }, { changes });
    const numbers: number[] = [];
    for (const base of bases) {
      numbers.push(await repositories.open(repository, "topic", { base }));
      const scheduled = { merge_when_checks_succeed: true };
      expect((await merge(repository, numbers.at(-1) as number, scheduled)).status).toBe(201);
    }
    await work();
    await report(repository, head, "success");
    const countMerged = async () =>
      (await Promise.all(numbers.map((number) => isMerged(repository, number)))).filter(Boolean).length;
    let afterOne: number | undefined;
    await api.queues.drain("repository-events", async (batch) => {
      const answer = await repositoryEventsWorker(api.forge, batch);
      afterOne ??= await countMerged();
      return answer;
    });
    expect([afterOne, await countMerged()]).toEqual([20, 21]);
  });
});
