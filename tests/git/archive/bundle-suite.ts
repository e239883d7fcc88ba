import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { type BundledRef, writeBundle } from "#core/git/archive/bundle";
import type { ObjectFormat } from "#core/git/format/object-format";
import type { GitRepository } from "#core/git/repository";
import { repositoryIn } from "#tests/git/memory/repository";
import { bareRepository, git, gitText, temporaryFolder } from "#tests/git/pack/real-git";
import { generateRepository } from "#tests/support/git/git-generator";

/** Bundles as git takes them. */
export function describeBundles(formats: readonly ObjectFormat[]): void {
  describe.each(formats)("writeBundle of a %s repository", (format) => {
    const id = (folder: string, name: string) => gitText(folder, ["rev-parse", name]);

    async function generated(): Promise<{ folder: string; repository: GitRepository }> {
      const folder = join(await temporaryFolder(), "generated");
      await generateRepository({ folder, objects: 600, format });
      return { folder, repository: await repositoryIn(folder, format) };
    }

    async function bundled(repository: GitRepository, refs: BundledRef[], prerequisites: string[] = []) {
      const file = join(await temporaryFolder(), "test.bundle");
      await writeFile(file, await buffer(writeBundle(repository, { refs, prerequisites })));
      return file;
    }

    it("clones to the same branch and objects, and verifies", async () => {
      const { folder, repository } = await generated();
      const main = await id(folder, "main");
      const refs = [
        { name: "HEAD", id: main },
        { name: "refs/heads/main", id: main },
      ];
      const file = await bundled(repository, refs);
      const copy = join(await temporaryFolder(), "copy");
      await git(folder, ["bundle", "verify", "-q", file]);
      await git(folder, ["clone", "-q", "--bare", file, copy]);
      await git(copy, ["fsck", "--full", "--strict"]);
      expect(await id(copy, "HEAD")).toBe(main);
      expect(await gitText(copy, ["symbolic-ref", "HEAD"])).toBe("refs/heads/main");
      expect(await gitText(copy, ["rev-list", "--objects", "--count", "main"])).toBe(
        await gitText(folder, ["rev-list", "--objects", "--count", "main"]),
      );
    });

    it("leaves out what its prerequisites lead to; git asks for them, and takes the rest", async () => {
      const { folder, repository } = await generated();
      const [older, newer] = [await id(folder, "main~5"), await id(folder, "main")];
      const file = await bundled(repository, [{ name: "refs/heads/main", id: newer }], [older]);
      const copy = await bareRepository(format);
      await expect(git(copy, ["fetch", "-q", file, "main"])).rejects.toThrow("lacks these prerequisite");
      await git(copy, ["fetch", "-q", folder, `${older}:refs/heads/old`]);
      await git(copy, ["fetch", "-q", file, "main:new"]);
      expect(await id(copy, "new")).toBe(newer);
      await git(copy, ["fsck", "--full", "--strict"]);
    });
  });
}
