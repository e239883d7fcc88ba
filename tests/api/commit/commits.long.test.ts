import { describe, expect, it } from "vitest";
import { makeRepository, pushFiles } from "#tests/support/code";
import { alice, api, get, useCommits } from "./commits-world.ts";

useCommits();

describe("repoCompareDiff", () => {
  it("200: texts of more than 4 MiB come whole, 413 beyond 24 MiB (D-BIGBODY)", async () => {
    await makeRepository(api, alice, "texts");
    await pushFiles(api, alice, "texts", { files: { f: "1" } });
    const lines = "a line of some length\n".repeat(250_000);
    await pushFiles(api, alice, "texts", { branch: "more", from: "main", files: { lines } });
    await pushFiles(api, alice, "texts", {
      branch: "most",
      from: "main",
      files: { lines: lines.repeat(3), more: lines.repeat(2) },
    });
    for (const path of ["compare/main...more?output=diff", "git/commits/more.patch"]) {
      const { status, text } = await get(`texts/${path}`);
      expect([path, status, text.split("\n+a line of some length").length]).toEqual([path, 200, 250_001]);
    }
    expect((await get("texts/git/commits/most.diff")).status).toBe(413);
  });

  it("413: a diff of more than 3,000 files is refused whole, of a range and of a commit (repoDownloadCommitDiffOrPatch)", async () => {
    await makeRepository(api, alice, "wide");
    await pushFiles(api, alice, "wide", { files: { f: "1" } });
    const files = Object.fromEntries(Array.from({ length: 3_001 }, (_, at) => [`d/${at}`, ""]));
    await pushFiles(api, alice, "wide", { branch: "many", from: "main", files });
    expect((await get("wide/compare/main...many?output=diff")).status).toBe(413);
    expect((await get("wide/git/commits/many.diff")).status).toBe(413);
  });
});
