import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PatchWriter } from "../../../core/git/diff/patch/patch.ts";
import { detectRenames } from "../../../core/git/diff/renames/renames.ts";
import { diffTrees } from "../../../core/git/diff/tree-diff.ts";
import { CommitGraph } from "../../../core/git/history/commit-graph/commit-graph.ts";
import { encodeGraphLayer, GraphLayer } from "../../../core/git/history/commit-graph/graph-layer.ts";
import { planGraph } from "../../../core/git/history/commit-graph/plan-graph.ts";
import { History } from "../../../core/git/history/history.ts";
import { lastCommits } from "../../../core/git/history/last-commits.ts";
import { logPage } from "../../../core/git/history/log.ts";
import { mergeBases } from "../../../core/git/history/merge-base.ts";
import { selectObjects } from "../../../core/git/history/select/select-objects.ts";
import { ingestPack } from "../../../core/git/ingest/ingest.ts";
import { mergeInStyle } from "../../../core/git/merge/merge-styles.ts";
import { packOfNew } from "../../../core/git/merge/new-objects.ts";
import { PackCaches } from "../../../core/git/pack/pack-caches.ts";
import { type PackEntry, type PackFiles, packKey, sideKey } from "../../../core/git/pack/pack-files.ts";
import { openPackSet, type PackSet } from "../../../core/git/pack/pack-set.ts";
import { type BenchContext, type Figures, median } from "../bench.ts";
import { usageOf } from "../process-usage.ts";

const commits = Number(process.env.BENCH_COMMITS ?? 50_000);
const entries = 1_000;
const files = 10_000;
const edited = 100;
const runs = Number(process.env.BENCH_RUNS ?? 3);
const committer = {
  name: "Ada Example",
  email: "ada@example.org",
  seconds: 1_800_000_000,
  timezone: "+0000",
};

/** One question, asked of both. */
interface Question {
  readonly name: string;
  readonly ours: (history: History, packs: PackSet) => Promise<unknown>;
  readonly gits: string;
}

/** Logs, comparisons, last commits and merges against plain git in a local clone, and what they ask of the storage. */
export async function historyFigures(_context: BenchContext): Promise<Figures> {
  const work = mkdtempSync(join(tmpdir(), "coldforge-bench-"));
  try {
    const folder = join(work, "source.git");
    await makeRepository(folder);
    const store = await FileStore.of(folder, work);
    const rows = [
      [
        ...["question", "git", "ours cold", "ours warm", "ratio warm"],
        ...["CPU git", "CPU warm", "ratio CPU", "requests cold", "requests warm"],
      ],
    ];
    const graph = await graphOf(await store.open(new PackCaches()), folder);
    for (const question of questions(folder)) rows.push(await rowOf(question, folder, store, graph));
    return {
      title: `History of ${commits} commits, ${files} files (medians of ${runs}; wall, then CPU)`,
      rows,
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function questions(folder: string): Question[] {
  const id = (name: string) => execFileSync("git", ["-C", folder, "rev-parse", name]).toString().trim();
  const [main, older, ours, theirs] = [id("main"), id("main~500"), id("ours"), id("theirs")];
  const path = "many/entry-7";
  let asked = 0;
  /** A question of its own each time: totals are remembered. */
  const until = () => Number.MAX_SAFE_INTEGER - asked++;
  const repeated = () => Array.from({ length: ++asked }, () => main);
  const log = (history: History, countAll: boolean) =>
    logPage(history, { tips: [main], paths: [path], limit: 50, countAll, until: until() });
  return [
    {
      name: "making the commit graph",
      ours: (_history, packs) => graphOf(packs, folder),
      gits: "git commit-graph write --reachable --changed-paths --no-progress && rm objects/info/commit-graph",
    },
    {
      name: "log of 50 with a path, no graph",
      ours: (_history, packs) => log(new History(packs, { timeMs: 300_000 }), false),
      gits: `git log -50 --format=%H main -- ${path} >out`,
    },
    {
      name: "log of 50 with a path",
      ours: (history) => log(history, false),
      gits: `git log -50 --format=%H main -- ${path} >out`,
    },
    {
      name: "the same with the total",
      ours: (history) => log(history, true),
      gits: `git rev-list --count main -- ${path} >out`,
    },
    {
      name: "log of 50 and the total",
      ours: (history) => logPage(history, { tips: repeated(), limit: 50, countAll: true }),
      gits: "git rev-list --count main >out",
    },
    {
      name: "compare of 500 commits",
      ours: (history) => compare(history, older, main),
      gits: `git merge-base ${older} main >out && git log --format=%H ${older}..main >out && git diff -M ${older}...main >out`,
    },
    {
      name: `last commits of ${entries} entries`,
      ours: (history) => lastCommits(history, main, "many", { timeMs: 60_000 }),
      gits: "git log --format=%H --name-status main -- many >out",
    },
    {
      name: "objects of a fetch of 500 commits",
      ours: (_history, packs) => selectObjects({ packs, wants: [main], haves: [older] }),
      gits: `git rev-list --objects ${older}..main >out`,
    },
    {
      name: "objects of a clone",
      ours: (_history, packs) => selectObjects({ packs, wants: [main], haves: [] }),
      gits: "git rev-list --objects main >out",
    },
    {
      name: `merge touching ${edited} of ${files} files`,
      ours: (history) => merge(history, ours, theirs),
      gits: `git merge-tree --write-tree ${ours} ${theirs} >out`,
    },
  ];
}

/** The commit graph of all branches, made from the packs. */
async function graphOf(packs: PackSet, folder: string): Promise<CommitGraph> {
  const refs = ["-C", folder, "for-each-ref", "--format=%(objectname)"];
  const tips = execFileSync("git", refs).toString().trim().split("\n");
  const { commits: made } = await planGraph(
    new History(packs, { timeMs: 300_000, readsAll: true }),
    CommitGraph.empty,
    tips,
  );
  return new CommitGraph([new GraphLayer(await encodeGraphLayer(made))]);
}

async function compare(history: History, base: string, head: string): Promise<void> {
  const [common = base] = await mergeBases(history, base, head);
  await logPage(history, { tips: [head], not: [base], limit: 1_000 });
  const trees = [(await history.links(common)).tree, (await history.links(head)).tree] as const;
  const { changes } = await diffTrees(history, ...trees);
  const writer = new PatchWriter(history);
  for await (const piece of writer.write(await detectRenames(history, changes))) void piece;
}

async function merge(history: History, base: string, head: string): Promise<void> {
  const names = { ours: "ours", theirs: "theirs" };
  const request = { base, head, names, author: committer, committer, message: "Merge" };
  const merged = await mergeInStyle(history, "merge", request);
  if (merged.kind !== "done") throw new Error(`the merge is ${merged.kind}`);
  await packOfNew(history, [merged.tip]);
}

async function rowOf(
  { name, ours, gits }: Question,
  folder: string,
  store: FileStore,
  graph: CommitGraph,
): Promise<string[]> {
  const ask = async (caches: PackCaches) => {
    const packs = await store.open(caches);
    return ours(new History(packs, { timeMs: 300_000, graph: async () => graph }), packs);
  };
  const spent: Record<"gits" | "cold" | "warm", Spent[]> = { gits: [], cold: [], warm: [] };
  let requests = { cold: 0, warm: 0 };
  for (let run = 0; run < runs; run++) {
    spent.gits.push(await measured(gitsCpu, () => execFileSync("sh", ["-c", gits], { cwd: folder })));
    const caches = new PackCaches();
    const before = store.requests;
    spent.cold.push(await measured(ownCpu, () => ask(caches)));
    const between = store.requests;
    spent.warm.push(await measured(ownCpu, () => ask(caches)));
    requests = { cold: between - before, warm: store.requests - between };
  }
  const of = (side: keyof typeof spent, what: keyof Spent) => median(spent[side].map((one) => one[what]));
  const seconds = (value: number) => `${value.toFixed(3)} s`;
  const ratio = (what: keyof Spent) => (of("warm", what) / of("gits", what)).toFixed(2);
  return [
    name,
    ...[of("gits", "wall"), of("cold", "wall"), of("warm", "wall")].map(seconds),
    ratio("wall"),
    ...[of("gits", "cpu"), of("warm", "cpu")].map(seconds),
    ratio("cpu"),
    `${requests.cold}`,
    `${requests.warm}`,
  ];
}

/** In seconds. */
interface Spent {
  readonly wall: number;
  readonly cpu: number;
}

async function measured(cpuSeconds: () => number, work: () => unknown): Promise<Spent> {
  const [start, before] = [performance.now(), cpuSeconds()];
  await work();
  return { wall: (performance.now() - start) / 1000, cpu: cpuSeconds() - before };
}

const ownCpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
};
/** With the children that ended, in hundredths of a second. */
const gitsCpu = (): number => usageOf(process.pid).cpuSeconds;

/** A pack and its side file in local files, with a count of what is asked for. */
class FileStore implements PackFiles {
  readonly #folder: string;
  readonly #entry: PackEntry;
  requests = 0;

  constructor(folder: string, entry: PackEntry) {
    this.#folder = folder;
    this.#entry = entry;
  }

  static async of(repository: string, work: string): Promise<FileStore> {
    const git = spawn("git", ["-C", repository, "pack-objects", "--stdout", "-q", "--all"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const taken = await ingestPack(git.stdout, { format: "sha1", temporaryFolder: work });
    if (!taken.ok) throw new Error(taken.reason.message);
    const { packPath, packBytes, side, objectCount } = taken.pack;
    const entry = { id: "pack", key: "pack", packBytes, sideBytes: side.length, objects: objectCount };
    writeFileSync(join(work, packKey(entry)), readFileSync(packPath));
    writeFileSync(join(work, sideKey(entry)), side);
    await taken.pack.dispose();
    return new FileStore(work, entry);
  }

  open(caches: PackCaches): Promise<PackSet> {
    return openPackSet(this, "sha1", [this.#entry], caches);
  }

  async get(key: string): Promise<Uint8Array> {
    this.requests += 1;
    return readFileSync(join(this.#folder, key));
  }

  async read(key: string, start: number, endExclusive: number): Promise<Uint8Array> {
    this.requests += 1;
    const file = await open(join(this.#folder, key));
    try {
      const bytes = Buffer.allocUnsafe(endExclusive - start);
      await file.read(bytes, 0, bytes.length, start);
      return bytes;
    } finally {
      await file.close();
    }
  }

  stream(key: string, start: number, endExclusive: number): AsyncIterable<Uint8Array> {
    this.requests += 1;
    return createReadStream(join(this.#folder, key), { start, end: endExclusive - 1 });
  }
}

const start = 1_700_000_000;
const textOf = (name: string, version: number) =>
  Array.from(
    { length: 12 },
    (_, line) => `${name} line ${line} ${line === version % 12 ? version : ""}\n`,
  ).join("");

/** Commits that edit one of the entries of a folder in turn, and two branches that edit files of a large tree. */
async function makeRepository(folder: string): Promise<void> {
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", folder]);
  const git = spawn("git", ["-C", folder, "fast-import", "--quiet", "--done"], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  const ended = once(git, "exit");
  const write = async (text: string) => {
    if (!git.stdin.write(text)) await once(git.stdin, "drain");
  };
  const file = (path: string, version: number) => {
    const text = textOf(path, version);
    return `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`;
  };
  const commit = (branch: string, number: number, from = "") =>
    `commit refs/heads/${branch}\ncommitter Ada <ada@example.org> ${start + number * 60} +0000\ndata 2\nx\n${from}`;
  await write(commit("main", 0));
  for (let at = 0; at < entries; at++) await write(file(`many/entry-${at}`, 0));
  for (let at = 0; at < files; at++) await write(file(`tree/${at % 100}/file-${at}`, 0));
  for (let number = 1; number < commits; number++) {
    await write(commit("main", number) + file(`many/entry-${(number * 7) % entries}`, number));
  }
  for (const [branch, shift] of [
    ["ours", 0],
    ["theirs", 1],
  ] as const) {
    await write(commit(branch, commits, "from refs/heads/main\n"));
    for (let at = 0; at < edited; at++) {
      const number = at * 100 + (at % 2 === 0 ? shift : 0);
      await write(file(`tree/${number % 100}/file-${number}`, at % 2 === 0 ? 3 : 3 + shift * 6));
    }
  }
  await write("done\n");
  git.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  execFileSync("git", ["-C", folder, "repack", "-q", "-a", "-d"]);
}
