import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { generateRepository } from "#tests/support/git/git-generator";
import { createRandom } from "#tests/support/random";
import { packOfRevisions, temporaryFolder } from "../pack/real-git.ts";
import { take } from "./taken.ts";

/** Packs that are cut, or of which some bits differ, taken in in pieces of any size. */
export function describeDamagedPacks(rounds: number): void {
  describe("ingestPack", () => {
    it.each<ObjectFormat>(["sha1", "sha256"])(
      "refuses %s packs damaged anywhere, leaving nothing",
      async (format) => {
        const random = createRandom();
        const folder = await temporaryFolder();
        await generateRepository({
          folder: join(folder, "generated"),
          objects: 3000,
          format,
          seed: random.seed,
        });
        const pack = await packOfRevisions(join(folder, "generated"), ["main"], ["--no-reuse-delta"]);
        await mkdir(join(folder, "spool"));
        for (let round = 0; round < rounds; round++) {
          const sent = Buffer.from(
            pack.subarray(0, random.chance(0.2) ? random.integer(pack.length) : undefined),
          );
          for (let flips = sent.length < pack.length ? 0 : 1 + random.integer(4); flips > 0; flips--) {
            const at = random.integer(sent.length);
            sent[at] = (sent[at] as number) ^ (1 << random.integer(8));
          }
          const isSame = sent.equals(pack);
          const options = { temporaryFolder: join(folder, "spool"), pieceBytes: 1 + random.integer(100_000) };
          const result = await take(format, sent, options);
          expect(result.ok, `seed ${random.seed}, round ${round}`).toBe(isSame);
          if (result.ok) await result.pack.dispose();
          expect(await readdir(join(folder, "spool"))).toEqual([]);
        }
      },
    );
  });
}
