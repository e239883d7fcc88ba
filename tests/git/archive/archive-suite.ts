import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type ArchiveFormat, writeArchive } from "#core/git/archive/archive";
import type { ObjectFormat } from "#core/git/format/object-format";
import { History } from "#core/git/history/history";
import { runGit } from "#tests/git/http/real-git";
import { repositoryIn } from "#tests/git/memory/repository";
import { bareRepository, git, gitText } from "#tests/git/pack/real-git";
import { createRandom } from "#tests/support/random";
import { projectCommit } from "./random-project.ts";
import { readZip } from "./read-zip.ts";

/** The output of `git archive`, in UTC. */
export async function gitArchive(folder: string, args: readonly string[]): Promise<Buffer> {
  const { code, stdout, stderr } = await runGit(folder, ["archive", ...args], { env: { TZ: "UTC" } });
  if (code !== 0) throw new Error(`git archive: ${stderr}`);
  return stdout;
}

/** Random projects, archived by both sides. */
export function describeArchives(format: ObjectFormat, rounds: number): void {
  describe(`archives of random projects in ${format}`, () => {
    const random = createRandom();

    it(`tar byte for byte, zip member for member, as git archive writes them (SEED=${random.seed})`, {
      timeout: rounds * 3_000 + 30_000,
    }, async () => {
      const folder = await bareRepository(format);
      const submodule = "5".repeat(format === "sha1" ? 40 : 64);
      const commits = Array.from({ length: rounds }, (_, number) => projectCommit(random, number, submodule));
      await git(folder, ["fast-import", "--quiet"], Buffer.from(commits.join(""), "latin1"));
      await git(folder, ["tag", "-a", "-m", "t", "v1", "main"]);
      await git(folder, ["tag", "light", "main"]);
      const repository = await repositoryIn(folder, format);
      const packs = await repository.packs();
      for (let round = 0; round < rounds; round++) {
        const text = round === 0 ? random.pick(["main", "v1", "light"]) : `v1~${round}`;
        const history = new History(packs);
        const idOf = (suffix: string) => gitText(folder, ["rev-parse", `${text}^{${suffix}}`]);
        const target = { tree: await idOf("tree"), commit: await idOf("commit") };
        const prefix = random.pick(["", "project/", "a/b/", "no-slash-", "größe/"]);
        const ours = (one: ArchiveFormat) =>
          buffer(writeArchive(history, target, { format: one, prefix, refs: repository }));
        const args = [`--prefix=${prefix}`, text];
        const tar = await gitArchive(folder, ["--format=tar", ...args]);
        expect(firstDifference(await ours("tar"), tar), text).toBe("");
        if (round % 4 !== 0) continue;
        expect(gunzipSync(await ours("tar.gz")).equals(tar)).toBe(true);
        const zip = await gitArchive(folder, ["--format=zip", ...args]);
        expect(readZip(await ours("zip"))).toEqual(readZip(zip));
      }
    });
  });
}

/** Where two tars part, with what stands there; empty when they are the same. */
function firstDifference(ours: Buffer, theirs: Buffer): string {
  if (ours.equals(theirs)) return "";
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  const around = (bytes: Buffer) => {
    const near = bytes.toString("latin1", Math.max(0, at - 150), at + 150);
    return JSON.stringify(near.replace(/\0+/g, "~"));
  };
  return `at ${at} of ${ours.length}/${theirs.length}: ours ${around(ours)}, git's ${around(theirs)}`;
}
