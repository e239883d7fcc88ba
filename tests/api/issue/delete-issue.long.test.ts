import { describe, expect, it } from "vitest";
import { issuePartition } from "#core/issue/issue.table";
import { checkRepository } from "#core/lifecycle/check/check";
import { api, author, owner, remove, useIssues, where } from "./delete-issue-world.ts";
import { addComment, emptyDeletedIssues, openIssue } from "./make.ts";

useIssues();

describe("issueDelete", () => {
  it("204: more comments than one step of the job removes, all gone with it", async () => {
    await openIssue(api, where, owner);
    for (let made = 0; made < 120; made += 1) await addComment(api, where, 1, author, `word${made}`);
    await remove(1);
    await emptyDeletedIssues(api);
    expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
    expect(await api.forge.table.queryAll({ pk: issuePartition(where.repository.id, 1) })).toEqual([]);
  });

  it("204: comments of more bytes than one answer of the table holds, all gone with it (D-TEXT)", async () => {
    await openIssue(api, where, owner);
    const long = "€".repeat(65_000);
    for (let made = 0; made < 8; made += 1) await addComment(api, where, 1, author, `${made}${long}`);
    await remove(1);
    await emptyDeletedIssues(api);
    const left = await api.forge.table.queryAll({ pk: issuePartition(where.repository.id, 1) });
    expect(left.map(({ sk }) => sk)).toEqual([]);
    expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
  });
});
