import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { openRepository } from "#core/git/store/store";
import { startGitServer } from "./git-server.ts";
import { testPackBounds } from "./pack-bounds-suite.ts";
import { Folders, WorkingCopy } from "./real-git.ts";

const folders = new Folders();
afterEach(() => folders.remove());

testPackBounds(["sha256"]);

describe("the limits of a push", () => {
  it.each([
    ["sha1", "GIT_MAX_PACK_BYTES", "1048576", "the pack is larger than 1048576 bytes"],
    ["sha256", "GIT_MAX_PACK_BYTES", "1048576", "the pack is larger than 1048576 bytes"],
    ["sha1", "GIT_MAX_OBJECT_BYTES", "1048576", "at most 1048576 are allowed"],
    ["sha256", "GIT_MAX_OBJECT_BYTES", "1048576", "at most 1048576 are allowed"],
    ["sha1", "GIT_MAX_PUSH_REFS", "2", "more than 2 refs in one push"],
    ["sha256", "GIT_MAX_PUSH_REFS", "2", "more than 2 refs in one push"],
  ] as const)("%s, %s: git shows its user what is too much", async (format, variable, value, text) => {
    const small = await startGitServer({ settings: { [variable]: value } });
    try {
      const { url, id } = await small.create("limited", { format });
      const work = await WorkingCopy.init(folders, format);
      // Hex digits deflate to a half: 3 MB are more than 1 MB as an object and as a pack.
      const bytes = variable === "GIT_MAX_PUSH_REFS" ? 1 : 1.5 * 2 ** 20;
      await work.commit({ "a.txt": randomBytes(bytes).toString("hex") });
      const run = await work.try("push", url, "main", "main:b", "main:c");
      expect(run.code).not.toBe(0);
      expect(run.stderr).toContain(text);
      expect((await openRepository(small.forge, id))?.refs.entries).toEqual([]);
    } finally {
      await small.stop();
    }
  });
});
