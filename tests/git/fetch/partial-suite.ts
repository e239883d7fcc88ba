import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import type { GitServerOptions } from "#tests/git/http/git-server";
import { WorkingCopy } from "#tests/git/http/real-git";
import { type Pair, Peers } from "./pair.ts";
import type { Shape } from "./shallow-suite.ts";

let peers: Peers;

/**
 * A history with files of several sizes and depths, and the same tree at two depths. Not for combined filters: git
 * remembers what one part let through further down and leaves it out where all would let it through.
 */
async function pushed(format: ObjectFormat, filter: string): Promise<{ pair: Pair; work: WorkingCopy }> {
  const pair = await peers.create(format);
  const work = await WorkingCopy.init(peers.folders, format);
  const commits = [0, 1, 2, 3].map((number) => ({
    files: {
      "a.txt": `${number}\n`,
      "small.txt": "x".repeat(1_000 + number),
      "exact.txt": `${number}`.padEnd(2_048, "y"),
      "large.txt": `${number}${"z".repeat(3_000)}`,
      "twice/deep/b.txt": "b\n",
      "other/twice/deep/b.txt": filter.startsWith("combine:") ? "c\n" : "b\n",
      [`one/two/three/${number}.txt`]: `deep ${number}\n`,
    },
  }));
  await work.commitAll(commits);
  await work.git("tag", "-a", "-m", "one", "v1", "main~2");
  await pair.push(work.folder, "main", "--tags");
  return { pair, work };
}

/** Filters, each in the form that git's client sends. */
export const filters = [
  "blob:none",
  "blob:limit=2k",
  "blob:limit=2049",
  "tree:0",
  "tree:1",
  "tree:3",
  "object:type=commit",
  "object:type=tree",
  "object:type=blob",
  "object:type=tag",
  "combine:blob:none+tree:2",
  "combine:tree:3+combine:blob%3Alimit%3D1k",
] as const;

/** Partial clones by git, compared with what its own server gives. */
export function testPartialClones(
  shapes: readonly (Shape & { filters: readonly string[] })[],
  options: GitServerOptions = {},
): void {
  beforeAll(async () => {
    peers = await Peers.start(options);
  });
  afterAll(() => peers.stop());

  describe.each(shapes)(
    "partial clones as git's own server answers them, $format, protocol $version",
    (shape) => {
      const option = ["-c", `protocol.version=${shape.version}`];

      it.each(shape.filters)(
        "--filter=%s: clone, fetch, deepen, and read what is missing",
        async (filter) => {
          const { pair, work } = await pushed(shape.format, filter);
          const twins = await pair.clone(...option, `--filter=${filter}`, "--no-checkout");
          expect((await twins.compare()).missing.length).toBeGreaterThan(0);
          await work.commit({ "a.txt": "next\n", "one/two/new.txt": "n\n", "large.txt": "w".repeat(3_100) });
          await pair.push(work.folder, "main");
          await twins.run(...option, "fetch", "-q");
          await twins.compare();
          await twins.run(...option, "checkout", "-q", "origin/main");
          await twins.compare();
          const [log, peersLog] = await twins.run(...option, "log", "--stat", "-p", "--all");
          expect(log.stdout).toBe(peersLog.stdout);
          await twins.compare();

          const shallow = await pair.clone(...option, `--filter=${filter}`, "--no-checkout", "--depth=2");
          await shallow.compare();
          await work.commit({ "a.txt": "once more\n", "small.txt": "x".repeat(1_100) });
          await pair.push(work.folder, "main");
          await shallow.run(...option, "fetch", "-q", "--depth=1");
          await shallow.compare();
          await shallow.run(...option, "fetch", "-q", "--unshallow");
          await shallow.compare();
        },
      );
    },
  );
}
