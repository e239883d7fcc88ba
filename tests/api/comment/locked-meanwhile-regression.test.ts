import { expect, it } from "vitest";
import { makeApi } from "#tests/support/api";
import { changeNextRequest } from "#tests/support/race/next-request";
import { addComment, lockIssue, openIssue } from "../issue/make.ts";
import { makeRepository } from "../repository/make.ts";

it("issueEditComment: 403, nothing changed, where the conversation is locked while the edit is under way", async () => {
  const api = await makeApi();
  try {
    const [owner, author] = [await api.makeUser(), await api.makeUser()];
    const where = await makeRepository(api, owner);
    await openIssue(api, where, owner);
    const { id } = await addComment(api, where, 1, author, "before");
    const edit = () =>
      api.call("PATCH", `${where.path}/issues/comments/${id}`, { as: author, body: { body: "after" } });
    changeNextRequest(api.forge, (view) => {
      const { transact } = view;
      view.transact = async (writes, options) => {
        await lockIssue(api, where, 1);
        return transact(writes, options);
      };
    });
    expect((await edit()).status).toBe(403);
    const comment = await api.call("GET", `${where.path}/issues/comments/${id}`, { as: author });
    expect(comment.json.body).toBe("before");
  } finally {
    await api.stop();
  }
});
