import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { writeRandomHistory } from "#tests/git/history/select/random-history";
import { cloneAndCheck, git } from "#tests/git/http/real-git";
import { createRandom, type Random } from "#tests/support/random";
import { type Pair, Peers, type Twins } from "./pair.ts";

/** A history that is played on this server and on git's own. */
interface Play {
  readonly random: Random;
  readonly pair: Pair;
  readonly source: string;
  readonly commits: number;
  /** Without it git's own walk by exclusion is not exact. */
  readonly isOrderly: boolean;
  readonly tally: Tally;
  /** Commits pushed so far: those of the branches c1 … */
  pushed: number;
}

/** Clones and fetches that succeeded on both sides, and that failed on both: many of the latter would be useless. */
interface Tally {
  succeeded: number;
  failed: number;
}

/** A client of each server, and whether it left something out. */
interface Client {
  readonly twins: Twins;
  readonly filter: string | undefined;
}

/** Options for git with a protocol version by chance. */
const version = (random: Random) => ["-c", `protocol.version=${random.pick(["0", "1", "2", "2"])}`];

/** Random histories: pushed here and to plain git, fetched back in many ways, and compared after each step. */
export function testAgainstGit(histories: number, commits: number): void {
  let peers: Peers;
  beforeAll(async () => {
    peers = await Peers.start();
  });
  afterAll(() => peers.stop());
  const tally: Tally = { succeeded: 0, failed: 0 };

  describe("histories played here and on plain git", () => {
    for (let number = 0; number < histories; number++) {
      const random = createRandom();
      const format: ObjectFormat = number % 2 === 0 ? "sha1" : "sha256";

      it(`look the same to every client, ${number + 1} of ${histories}, ${format} (SEED=${random.seed})`, async () => {
        const pair = await peers.create(format);
        const source = await peers.folders.make();
        await git(source, ["init", "-q", "--bare", "-b", "main", `--object-format=${format}`]);
        const isOrderly = random.chance(0.6);
        await writeRandomHistory(source, random, commits, { format, isWild: true, isVast: true, isOrderly });
        const play: Play = { random, pair, source, commits, isOrderly, tally, pushed: 0 };
        const clients: Client[] = [];
        while (play.pushed < commits) {
          await push(play);
          if (clients.length < 4) clients.push(...(await clone(play)));
          for (const client of random.some(clients, 2)) await fetch(play, client);
        }
        await compareWhole(play);
        await peers.folders.remove();
      });
    }

    it("and few clones and fetches fail on both sides", () => {
      expect(tally.succeeded).toBeGreaterThan(histories);
      expect(tally.failed).toBeLessThan(tally.succeeded / 4);
    });
  });
}

/**
 * Some more branches, others moved by force, now and then the tags. Every commit that clients see keeps a branch: this
 * server withholds commits that no ref leads to, and git gives them out. There is such a case in between, too: a branch
 * that nobody fetched.
 */
async function push(play: Play): Promise<void> {
  const { random, source, pair } = play;
  const before = play.pushed;
  play.pushed = Math.min(play.commits, before + 1 + random.integer(play.commits / 2));
  const any = () => `refs/heads/c${1 + random.integer(play.pushed)}`;
  const specs = Array.from({ length: play.pushed - before }, (_, at) => `refs/heads/c${before + 1 + at}`);
  specs.push(`+${any()}:refs/heads/main`);
  if (random.chance(0.5)) specs.push(`+${any()}:refs/heads/moving`);
  if (random.chance(0.3)) specs.push(`${any()}:refs/notes/n${play.pushed}`);
  if (random.chance(0.3)) specs.push("--tags");
  if (random.chance(0.5)) {
    await pair.push(source, ...version(random), `refs/heads/c${play.commits}:refs/heads/short-lived`);
    await pair.push(source, ...version(random), ":refs/heads/short-lived");
  }
  await pair.push(source, ...version(random), ...specs);
  if (random.chance(0.2) && (await git(pair.bare, ["for-each-ref", "refs/heads/moving"])) !== "") {
    await pair.push(source, ...version(random), ":refs/heads/moving");
  }
}

/** How far back: a depth, a date, or a ref to stop at. */
async function bound({ random, source, pushed, isOrderly }: Play): Promise<string> {
  const commit = `c${1 + random.integer(pushed)}`;
  if (random.chance(0.25)) {
    return `--shallow-since=@${await git(source, ["log", "-1", "--format=%ct", commit])} +0000`;
  }
  if (isOrderly && random.chance(0.3)) return `--shallow-exclude=${random.pick(["main", "moving", "t3"])}`;
  return `--depth=${1 + random.integer(6)}`;
}

/**
 * Not depths combined with others: git leaves out altogether what it meets too deep first (docs/git-differences.md).
 */
const filters = [
  ...["blob:none", "blob:limit=20", "tree:0", "tree:1", "tree:3"],
  ...["object:type=commit", "object:type=tree", "object:type=blob", "object:type=tag"],
  ...["combine:blob:none+object:type=tree", "combine:blob:limit=20+object:type=blob"],
];

async function clone(play: Play): Promise<Client[]> {
  const { random, pair } = play;
  const filter = random.chance(0.4) ? random.pick(filters) : undefined;
  const options = [
    ...(filter === undefined ? [] : [`--filter=${filter}`, "--no-checkout"]),
    ...(random.chance(0.5) ? [await bound(play)] : []),
    ...(random.chance(0.5) ? ["--no-single-branch"] : []),
    ...(random.chance(0.2) ? ["--no-tags"] : []),
    ...(random.chance(0.3) ? ["--bare"] : []),
  ];
  const twins = await pair.tryClone(...version(random), ...options);
  play.tally[twins === undefined ? "failed" : "succeeded"] += 1;
  if (twins === undefined) return [];
  await twins.compare();
  // Git later takes objects that lie too deep in the client's commits for present.
  return filter !== undefined && /tree:[1-9]/.test(filter) ? [] : [{ twins, filter }];
}

async function fetch(play: Play, { twins, filter }: Client): Promise<void> {
  const { random, tally } = play;
  const options = [
    ...(random.chance(0.3) ? [await bound(play)] : []),
    ...(random.chance(0.3) ? ["--prune"] : []),
    ...(random.chance(0.2) ? ["--tags"] : []),
  ];
  if (random.chance(0.2)) options.splice(0, 1, random.pick(["--unshallow", "--deepen=1", "--deepen=3"]));
  const refs = random.chance(0.4) ? ["origin", `+refs/heads/c${play.pushed}:refs/heads/got`] : [];
  const [fetched] = await twins.run(...version(random), "fetch", "-q", ...options, ...refs);
  tally[fetched.code === 0 ? "succeeded" : "failed"] += 1;
  await twins.compare();
  if (filter === undefined || !random.chance(0.3)) return;
  const [ours, peers] = await twins.run(...version(random), "log", "-p", "--format=%H", "-3", "--all");
  expect(ours.stdout).toBe(peers.stdout);
}

/** In the end all has come over: refs, what they lead to, and nothing else. */
async function compareWhole({ pair, random }: Play): Promise<void> {
  const copy = await cloneAndCheck(pair.peers.folders, pair.urls[0], ...version(random));
  const refs = ["for-each-ref", "--format=%(objectname) %(refname)"];
  expect(await git(copy, refs)).toBe(await git(pair.bare, refs));
  const objects = async (folder: string) =>
    (await git(folder, ["rev-list", "--objects", "--all", "--no-object-names"])).split("\n").sort();
  const reachable = await objects(pair.bare);
  expect(await objects(copy)).toEqual(reachable);
  const stored = await git(copy, ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]);
  expect(stored.split("\n").sort()).toEqual(reachable);
}
