import type { Forge } from "../../forge.ts";
import { openPackSet } from "../../git/pack/pack-set.ts";
import type { LogChunk } from "../../git/refs/ref-log.ts";
import { compareRefNames } from "../../git/refs/ref-name.ts";
import { readLogChunks } from "../../git/store/refs/read-log.ts";
import { findBrokenRefs, isLogWhole, rebuildFromLog } from "../../git/store/refs/rebuild-segments.ts";
import { gitPartition, type Root, rootKey } from "../../git/store/refs/refs.table.ts";
import { compactedRefs, readRoot } from "../../git/store/refs/snapshot.ts";
import { type Finding, shownKey } from "../check/finding.ts";
import type { RepositoryFacts } from "../check/repository-facts.ts";

const remedy = "nothing derives refs: restore them from a backup, or push them again";

/** Invariants 13, 14 and 21 of git: versions, log, HEAD, and the objects of the packs. Nothing of it can be derived. */
export async function checkRefs(forge: Forge, { repository }: RepositoryFacts): Promise<Finding[]> {
  const { id, wikiId, state } = repository;
  if (state !== "live") return [];
  const ofCode = await checkRefsOf(forge, id);
  return wikiId === undefined ? ofCode : [...ofCode, ...(await checkWiki(forge, repository, wikiId))];
}

/** Invariant 2, of a wiki: its ROOT is there, and HEAD names the branch that the repository does. */
async function checkWiki(
  forge: Forge,
  { id, wikiBranch }: RepositoryFacts["repository"],
  wikiId: number,
): Promise<Finding[]> {
  const root = await readRoot(forge.table, wikiId);
  const wrong =
    root === undefined
      ? `is missing; it is of the wiki of repository ${id}`
      : `names ${root.head}; repository ${id} names ${wikiBranch} as its wiki's branch`;
  const isFine = root?.state === "live" && root.head === `refs/heads/${wikiBranch}`;
  const findings = isFine ? [] : [{ invariant: 2, key: shownKey(rootKey(wikiId)), problem: wrong, remedy }];
  return [...findings, ...(await checkRefsOf(forge, wikiId))];
}

async function checkRefsOf(forge: Forge, repositoryId: number): Promise<Finding[]> {
  const root = await readRoot(forge.table, repositoryId);
  if (root === undefined) return [];
  const key = shownKey(rootKey(root.repositoryId));
  const broken = await segmentProblems(forge, root);
  if (broken.length > 0) return broken;
  const compacted = await readCompacted(forge, root);
  if (compacted === undefined)
    return [{ invariant: 12, key, problem: "its segments are out of order", remedy }];
  const log = await readLog(forge, root);
  const problems = [...editionProblems(root), ...holes(root, log)];
  const told = problems.map((problem): Finding => ({ invariant: 13, key, problem, remedy }));
  if (problems.length > 0) return told;
  const replayed = replay(root, compacted, log);
  return [
    ...replayed.problems.map((problem): Finding => ({ invariant: 13, key, problem, remedy })),
    ...headProblems(root, replayed.refs).map((problem): Finding => ({ invariant: 14, key, problem, remedy })),
    ...(await objectProblems(forge, root, replayed.refs)),
  ];
}

/** Invariant 12: the segments of the refs can be read. The log alone could say what they held. */
async function segmentProblems(forge: Forge, root: Root): Promise<Finding[]> {
  const broken = await findBrokenRefs({ ...forge.table }, root);
  if (broken.length === 0) return [];
  const isDerivable = await isLogWhole(forge.table, root);
  const mended = {
    remedy: "writes the compacted refs anew from the log, which goes back to the first push",
    repair: (on: Forge) => rebuildFromLog(on, root),
  };
  const fromBackup = {
    remedy: "never changes: take the item of this key from any backup that has it (docs/operations.md)",
  };
  const pk = gitPartition(root.repositoryId);
  return broken.map(({ sk, problem }) => ({
    ...{ invariant: 12, key: shownKey({ pk, sk }), problem },
    ...(isDerivable ? mended : fromBackup),
  }));
}

/** Ids of refs by name, from the segments; undefined when these are out of order. */
async function readCompacted(
  { table }: Forge,
  root: Root,
): Promise<Map<string, string | undefined> | undefined> {
  const { entries } = await compactedRefs({ ...table }, root); // nothing of it from memory
  const isInOrder = entries.every(
    ({ name }, at) => at === 0 || compareRefNames(entries[at - 1]?.name ?? "", name) < 0,
  );
  return isInOrder ? new Map(entries.map(({ name, id }) => [name, id])) : undefined;
}

type Log = ReadonlyMap<number, readonly LogChunk[]>;

async function readLog({ table }: Forge, { repositoryId, base, v }: Root): Promise<Log> {
  const log = new Map<number, LogChunk[]>();
  if (v <= base) return log;
  for (const chunk of await readLogChunks(table, repositoryId, base + 1, v)) {
    log.set(chunk.v, [...(log.get(chunk.v) ?? []), chunk]);
  }
  return log;
}

function editionProblems({ e, v, base }: Root): string[] {
  return [
    ...(e < v ? [`the edition ${e} is below the version ${v}`] : []),
    ...(base > v ? [`the log is compacted up to ${base}, the version is ${v}`] : []),
  ];
}

function holes({ base, v }: Root, log: Log): string[] {
  const problems: string[] = [];
  for (let version = base + 1; version <= v; version += 1) {
    const chunks = log.get(version) ?? [];
    const wanted = chunks[0]?.chunks;
    if (wanted === undefined) problems.push(`push ${version} is missing in the log`);
    else if (chunks.length !== wanted)
      problems.push(`push ${version} has ${chunks.length} of ${wanted} chunks`);
  }
  return problems;
}

/** The refs after the log is applied to the compacted ones, and where the log contradicts them or itself. */
function replay(
  { base, v }: Root,
  compacted: ReadonlyMap<string, string | undefined>,
  log: Log,
): { refs: Map<string, string | undefined>; problems: string[] } {
  const refs = new Map(compacted);
  const problems: string[] = [];
  for (let version = base + 1; version <= v; version += 1) {
    for (const change of (log.get(version) ?? []).flatMap((chunk) => chunk.changes)) {
      const { name, old } = change;
      if (refs.get(name) !== old) {
        problems.push(
          `push ${version} takes ${name} from ${old ?? "nothing"}, it was ${refs.get(name) ?? "nothing"}`,
        );
      }
      refs.set(name, change.new);
    }
  }
  return { refs, problems };
}

/** HEAD names a branch, unless there is none; branches and tags are counted. */
function headProblems({ head, branches, tags }: Root, refs: Map<string, string | undefined>): string[] {
  const names = [...refs].filter(([, id]) => id !== undefined).map(([name]) => name);
  const count = (prefix: string) => names.filter((name) => name.startsWith(prefix)).length;
  const [foundBranches, foundTags] = [count("refs/heads/"), count("refs/tags/")];
  return [
    ...(foundBranches > 0 && !names.includes(head) ? [`HEAD names ${head}, which is no branch`] : []),
    ...(foundBranches === branches ? [] : [`it counts ${branches} branches, there are ${foundBranches}`]),
    ...(foundTags === tags ? [] : [`it counts ${tags} tags, there are ${foundTags}`]),
  ];
}

/** The packs are there, and hold what the refs name. */
async function objectProblems(
  forge: Forge,
  root: Root,
  refs: ReadonlyMap<string, string | undefined>,
): Promise<Finding[]> {
  const ofPacks = await packProblems(forge, root);
  if (ofPacks.length > 0) return ofPacks;
  const packs = await openPackSet(forge.blobs, root.objectFormat, root.packs);
  const key = shownKey(rootKey(root.repositoryId));
  return [...refs].flatMap(([name, id]): Finding[] => {
    if (id === undefined || packs.has(id)) return [];
    return [{ invariant: 14, key, problem: `${name} names ${id}, which is in no pack`, remedy }];
  });
}

/** Each pack of the manifest lies in the bucket, whole. */
async function packProblems({ blobs }: Forge, { repositoryId, packs }: Root): Promise<Finding[]> {
  if (packs.length === 0) return [];
  const sizes = new Map<string, number>();
  for (const prefix of new Set(packs.map((pack) => `r/${pack.repositoryId}/p/`))) {
    for await (const { key, sizeBytes } of blobs.list(prefix)) sizes.set(key, sizeBytes);
  }
  const files = packs.flatMap(({ key, packBytes, sideBytes }) => [
    { file: `${key}.pack`, bytes: packBytes },
    { file: `${key}.side`, bytes: sideBytes },
  ]);
  return files.flatMap(({ file, bytes }): Finding[] => {
    const size = sizes.get(file);
    if (size === bytes) return [];
    const problem = `is ${size === undefined ? "missing" : `of ${size} bytes`}, ROOT of repository ${repositoryId} names it with ${bytes}`;
    return [{ invariant: 21, key: file, problem, remedy }];
  });
}
