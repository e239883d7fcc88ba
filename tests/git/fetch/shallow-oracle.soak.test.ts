import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeRandomHistory } from "#tests/git/history/select/random-history";
import { git } from "#tests/git/http/real-git";
import { createRandom, type Random } from "#tests/support/random";
import { type Pair, Peers } from "./pair.ts";

const histories = Number(process.env.HISTORIES ?? 100);
const clonesOfEach = 3;
const fetchesOfEach = 6;
const commits = 14;

let peers: Peers;
beforeAll(async () => {
  peers = await Peers.start();
});
afterAll(() => peers.stop());

/** A history whose clocks never go back, and where a client may stop in it. */
interface Play {
  readonly random: Random;
  readonly pair: Pair;
  readonly dates: readonly string[];
  readonly refs: readonly string[];
}

const sinceOf = ({ random, dates }: Play) => `--shallow-since=@${random.pick(dates)} +0000`;
const excludeOf = ({ random, refs }: Play) => `--shallow-exclude=${random.pick(refs)}`;
const depthOf = ({ random }: Play) => `--depth=${1 + random.integer(5)}`;

/** What one fetch asks for: one way to move the border, seldom none, or two at once (git lets a date and refs go together). */
function boundOf(play: Play): string[] {
  const { random } = play;
  const ways = [
    () => [depthOf(play)],
    () => [`--deepen=${1 + random.integer(3)}`],
    () => [sinceOf(play)],
    () => [excludeOf(play)],
    () => [sinceOf(play), excludeOf(play)],
    () => ["--unshallow"],
    () => [],
  ];
  return random.pick(ways)();
}

async function makePlay(random: Random, number: number): Promise<Play> {
  const format = number % 2 === 0 ? "sha1" : "sha256";
  const pair = await peers.create(format);
  const source = await peers.folders.make();
  await git(source, ["init", "-q", "--bare", "-b", "main", `--object-format=${format}`]);
  await writeRandomHistory(source, random, commits, { format, isOrderly: true });
  await git(source, ["update-ref", "refs/heads/main", `refs/heads/c${commits}`]);
  await pair.push(source, "--all");
  await pair.push(source, "--tags");
  const dates = (await git(source, ["log", "--all", "--format=%ct"])).split("\n");
  const refs = ["main", ...Array.from({ length: commits }, (_, at) => `c${at + 1}`)];
  return { random, pair, dates, refs };
}

describe("borders of clones that move by chance, compared with what git http-backend gives", () => {
  let succeeded = 0;
  let failed = 0;

  for (let number = 0; number < histories; number += 1) {
    const random = createRandom();
    it(`${number + 1} of ${histories} (SEED=${random.seed})`, async () => {
      const play = await makePlay(random, number);
      const version = () => ["-c", `protocol.version=${random.pick(["0", "1", "2", "2"])}`];
      for (let made = 0; made < clonesOfEach; made += 1) {
        const start = random.pick([depthOf, depthOf, sinceOf, excludeOf])(play);
        const all = random.chance(0.3) ? ["--no-single-branch"] : [];
        const twins = await play.pair.tryClone(...version(), start, ...all);
        await twins?.compare();
        for (let fetch = 0; twins !== undefined && fetch < fetchesOfEach; fetch += 1) {
          const refs = random.chance(0.3) ? ["origin", random.pick(play.refs)] : [];
          const [ours] = await twins.run(...version(), "fetch", "-q", ...boundOf(play), ...refs);
          if (ours.code === 0) succeeded += 1;
          else failed += 1;
          await twins.compare();
        }
      }
      await peers.folders.remove();
    });
  }

  it("and most fetches succeed", () => {
    expect(succeeded).toBeGreaterThan(failed);
  });
});
