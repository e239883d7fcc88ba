import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateRepository } from "../../support/git/git-generator.ts";
import { type BenchContext, type Figures, median } from "../bench.ts";
import { type Side, startOurs, startPeer } from "./git-sides.ts";

interface Sample {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly nodeCpuSeconds: number;
}

const runs = Number(process.env.BENCH_RUNS ?? 5);
const objects = Number(process.env.BENCH_OBJECTS ?? 24_000);
const sizeBytes = Number(process.env.BENCH_BYTES ?? 10_000_000);
const refs = Number(process.env.BENCH_REFS ?? 10_000);
/** What takes milliseconds is done so often for one figure: CPU is counted in hundredths of a second. */
const often = 10;

/**
 * Pushes, clones, fetches and listings by the real client against `git http-backend`, interleaved: whole repositories,
 * then one commit at a time.
 */
export async function gitTransferFigures(context: BenchContext): Promise<Figures> {
  const work = mkdtempSync(join(tmpdir(), "coldforge-bench-"));
  const source = join(work, "source.git");
  await generateRepository({ folder: source, objects, sizeBytes });
  const manyRefs = await makeManyRefs(work);
  const count = inPack(source);
  const ours = await startOurs(context);
  const peer = await startPeer(context, work);
  const sides = [ours.side, peer.side] as const;
  try {
    const samples = new Samples();
    const listed = await Promise.all(sides.map((side) => side.makeRepository("many-refs")));
    for (const url of listed) await git(manyRefs, "push", "-q", "--mirror", url);
    for (let run = 0; run < runs; run += 1) {
      for (const [at, side] of sides.entries()) {
        const url = await side.makeRepository(`run${run}`);
        await measureWhole(samples, side, { url, source, work });
        await measureSteps(samples, side, { url, work });
        const list = () => git(work, "ls-remote", "-q", listed[at] as string);
        samples.add(`ls-remote of ${refs} refs`, side, await measure(side, list, often));
      }
    }
    return {
      title: `Git by its own client: ${count} objects (medians of ${runs}, CPU of the server)`,
      rows: [...samples.rows(sides), ...sides.map(peakRow)],
    };
  } finally {
    await ours.stop();
    await peer.stop();
    rmSync(work, { recursive: true, force: true });
  }
}

const inPack = (folder: string): number =>
  Number(
    execFileSync("git", ["-C", folder, "count-objects", "-v"])
      .toString()
      .match(/in-pack: (\d+)/)?.[1],
  );

async function makeManyRefs(work: string): Promise<string> {
  const folder = join(work, "many-refs.git");
  await generateRepository({ folder, objects: 1_000 });
  const tip = execFileSync("git", ["-C", folder, "rev-parse", "main"]).toString().trim();
  const lines = Array.from({ length: refs }, (_, at) => `create refs/heads/topic/${at} ${tip}\n`);
  execFileSync("git", ["-C", folder, "update-ref", "--stdin"], { input: lines.join("") });
  return folder;
}

interface Place {
  readonly url: string;
  readonly work: string;
}

/** The whole repository there and back. */
async function measureWhole(
  samples: Samples,
  side: Side,
  { url, source, work }: Place & { readonly source: string },
): Promise<void> {
  samples.add("push", side, await measure(side, () => git(source, "push", "-q", "--mirror", url)));
  samples.add("after the push", side, await measure(side, () => side.rest()));
  const target = copyIn(work);
  samples.add("clone", side, await measure(side, () => git(work, "clone", "-q", "--mirror", url, target)));
  requireSame(source, target);
}

const copyIn = (work: string): string => join(work, "copy.git");

/** One commit at a time, from one clone to another. */
async function measureSteps(samples: Samples, side: Side, { url, work }: Place): Promise<void> {
  const pusher = copyIn(work);
  const fetcher = join(work, "fetcher.git");
  cpSync(pusher, fetcher, { recursive: true });
  const commits = makeCommits(pusher, often);
  const [pushes, fetches]: [Sample[], Sample[]] = [[], []];
  for (const id of commits) {
    pushes.push(await measure(side, () => git(pusher, "push", "-q", url, `${id}:refs/heads/main`)));
    fetches.push(await measure(side, () => git(fetcher, "fetch", "-q", url, "refs/heads/main")));
  }
  await side.rest();
  samples.add("push of a commit", side, meanOf(pushes));
  samples.add("fetch of a commit", side, meanOf(fetches));
  const fetch = () => git(fetcher, "fetch", "-q", url, "refs/heads/main");
  samples.add("no-op fetch", side, await measure(side, fetch, often));
  for (const folder of [pusher, fetcher]) rmSync(folder, { recursive: true, force: true });
}

/** A line of commits on `main`, each with a file of its own; main itself stays. Answers their ids, oldest first. */
function makeCommits(folder: string, count: number): string[] {
  const stream = Array.from({ length: count }, (_, at) =>
    [
      "commit refs/heads/bench",
      `committer Ada <ada@example.org> ${1_800_000_000 + at} +0000`,
      "data 4\nnext",
      ...(at === 0 ? ["from refs/heads/main"] : []),
      `M 100644 inline bench-${at}.txt\ndata 2\n${at % 10}\n`,
    ].join("\n"),
  );
  execFileSync("git", ["-C", folder, "fast-import", "--quiet"], { input: `${stream.join("\n")}\n` });
  const list = ["-C", folder, "rev-list", "--reverse", `-${count}`, "bench"];
  return execFileSync("git", list).toString().trim().split("\n");
}

function meanOf(samples: readonly Sample[]): Sample {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  return {
    wallSeconds: mean(({ wallSeconds }) => wallSeconds),
    cpuSeconds: mean(({ cpuSeconds }) => cpuSeconds),
    nodeCpuSeconds: mean(({ nodeCpuSeconds }) => nodeCpuSeconds),
  };
}

/** The cost of something each time that it is done. */
async function measure(side: Side, work: () => Promise<void>, times = 1): Promise<Sample> {
  const before = { usage: side.usage(), node: side.nodeCpuSeconds(), time: performance.now() };
  for (let time = 0; time < times; time += 1) await work();
  const wallSeconds = (performance.now() - before.time) / 1000;
  await side.settle();
  return {
    wallSeconds: wallSeconds / times,
    cpuSeconds: (side.usage().cpuSeconds - before.usage.cpuSeconds) / times,
    nodeCpuSeconds: (side.nodeCpuSeconds() - before.node) / times,
  };
}

async function git(folder: string, ...args: string[]): Promise<void> {
  const child = spawn("git", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}`);
}

function requireSame(source: string, clone: string): void {
  const listed = (folder: string) => execFileSync("git", ["-C", folder, "for-each-ref"]).toString();
  if (listed(source) !== listed(clone)) throw new Error("the clone's refs differ from the source's");
  execFileSync("git", ["-C", clone, "fsck", "--full"], { stdio: "pipe" });
}

const peakRow = (side: Side): string[] => [
  `peak memory ${side.name}`,
  `${Math.round(side.usage().peakMemoryMb)} MB`,
];

/** What was measured, by operation and side. */
class Samples {
  readonly #samples = new Map<string, Map<string, Sample[]>>();

  add(operation: string, side: Side, sample: Sample): void {
    const ofSides = this.#samples.get(operation) ?? new Map<string, Sample[]>();
    this.#samples.set(operation, ofSides);
    ofSides.set(side.name, [...(ofSides.get(side.name) ?? []), sample]);
  }

  rows([ours, peer]: readonly [Side, Side]): string[][] {
    const head = ["operation", "wall", "CPU (Node)", "CPU (all)"];
    const rows = [[...head, "ratio wall", "ratio CPU (Node)", "ratio CPU (all)"]];
    for (const [operation, ofSides] of this.#samples) {
      const [one, other] = [ours, peer].map(({ name }) => figuresOf(ofSides.get(name) ?? []));
      if (one === undefined || other === undefined) continue;
      const ratios = other.all > 0 ? [one.wall / other.wall, one.node / other.all, one.all / other.all] : [];
      rows.push([`${operation}: ${ours.name}`, ...shown(one), ...ratios.map((ratio) => ratio.toFixed(2))]);
      rows.push([`${operation}: ${peer.name}`, ...shown(other)]);
    }
    return rows;
  }
}

interface Medians {
  readonly wall: number;
  readonly node: number;
  readonly all: number;
}

const figuresOf = (samples: readonly Sample[]): Medians => ({
  wall: median(samples.map(({ wallSeconds }) => wallSeconds)),
  node: median(samples.map(({ nodeCpuSeconds }) => nodeCpuSeconds)),
  all: median(samples.map(({ cpuSeconds }) => cpuSeconds)),
});

const shown = ({ wall, node, all }: Medians): string[] =>
  [wall, node, all].map((seconds) =>
    seconds < 1 ? `${(seconds * 1000).toFixed(0)} ms` : `${seconds.toFixed(2)} s`,
  );
