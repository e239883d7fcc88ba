import { createHash } from "node:crypto";
import fs from "node:fs";
import { mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Forge } from "#core/forge";
import { parseCommit } from "#core/git/format/commit";
import { parseTag } from "#core/git/format/tag";
import { parseTree, typeOfMode } from "#core/git/format/tree";
import { type PackEntry, packKey } from "#core/git/pack/pack-files";
import { type OpenRepository, openRepository } from "#core/git/store/store";
import type { Finding } from "#core/lifecycle/check/finding";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { StartError } from "./start-error.ts";

const remedy = "nothing derives objects: restore the pack from a backup, or push them again";
/** Enough to see the fault: a lost pack has as many as it had objects. */
const mostTold = 20;
const trailerBytes = 20;

type Library = Pick<typeof import("isomorphic-git"), "indexPack" | "readObject">;

/** A bare repository in a folder of its own, as isomorphic-git reads one. */
interface Copy {
  readonly gitdir: string;
  readonly library: Library;
  /** Isomorphic-git's memory of packs between calls. */
  readonly cache: object;
  /** The ids of all objects that it made out in the packs. */
  readonly ids: Set<string>;
}

/**
 * Reads a SHA-1 repository and its wiki with isomorphic-git, which shares no code with the engine that wrote it
 * (decision 28): it hashes and indexes every pack anew from its own bytes, looks for everything that refs lead to, and
 * compares our side files with that. It takes the disk of the packs, and memory for the largest of them twice. Throws
 * StartError for a SHA-256 repository, which isomorphic-git can't read.
 */
export async function checkObjects(forge: Forge, repositoryId: number): Promise<Finding[]> {
  const found = await forge.table.get<Repository>(repositoryKey(repositoryId));
  const ofCode = await checkObjectsOf(forge, repositoryId);
  return found?.wikiId === undefined ? ofCode : [...ofCode, ...(await checkObjectsOf(forge, found.wikiId))];
}

async function checkObjectsOf(forge: Forge, gitId: number): Promise<Finding[]> {
  const repository = await openRepository(forge, gitId);
  if (repository === undefined) return [];
  const { format, root } = repository;
  if (format !== "sha1") {
    throw new StartError(
      "check-data: isomorphic-git reads SHA-1 alone; clone a SHA-256 repository with --mirror and run git fsck on it.",
    );
  }
  const folder = await mkdtemp(join(tmpdir(), "coldforge-objects-"));
  try {
    const { default: library } = await import("isomorphic-git"); // large, and no server needs it
    const copy: Copy = { gitdir: join(folder, "copy.git"), library, cache: {}, ids: new Set() };
    await mkdir(join(copy.gitdir, "objects", "pack"), { recursive: true });
    const findings: Finding[] = [];
    // Oldest first: the bases of a later pack are indexed by then.
    for (const pack of root.packs) findings.push(...(await copyPack(forge, pack, copy)));
    findings.push(...(await checkSides(repository, copy)));
    findings.push(...(await checkReachable(repository, copy)));
    return findings;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Brings a pack into the copy and indexes it there. */
async function copyPack({ blobs }: Forge, pack: PackEntry, copy: Copy): Promise<Finding[]> {
  const key = packKey(pack);
  const name = `pack-${pack.id}.pack`;
  const filepath = join("objects", "pack", name);
  const wrong = (problem: string): Finding[] => [{ invariant: 21, key, problem, remedy }];
  const hash = createHash("sha1");
  const file = await open(join(copy.gitdir, filepath), "w");
  let trailer: Buffer = Buffer.alloc(0);
  try {
    for await (const piece of blobs.stream(key, 0, pack.packBytes)) {
      await file.writeFile(piece);
      const bytes = Buffer.concat([trailer, piece]);
      const hashed = Math.max(0, bytes.length - trailerBytes);
      hash.update(bytes.subarray(0, hashed));
      trailer = Buffer.from(bytes.subarray(hashed));
    }
  } catch (error) {
    return wrong(`can't be read: ${(error as Error).message}`);
  } finally {
    await file.close();
  }
  if (!hash.digest().equals(trailer)) return wrong("does not have the checksum that it ends with");
  const { gitdir, library, cache } = copy;
  try {
    const { oids } = await library.indexPack({ fs, dir: gitdir, gitdir, filepath, cache });
    for (const id of oids) copy.ids.add(id);
    const isWhole = oids.length === pack.objects;
    return isWhole ? [] : wrong(`has ${oids.length} readable objects, its manifest counts ${pack.objects}`);
  } catch (error) {
    return wrong(`can't be indexed: ${(error as Error).message}`);
  }
}

/** Our own indexes know every object that was made out, and no other. */
async function checkSides(repository: OpenRepository, { ids }: Copy): Promise<Finding[]> {
  const packs = await repository.packs().catch((error: Error) => error);
  if (packs instanceof Error) {
    const problem = `the side files can't be read: ${packs.message}`;
    return [{ invariant: 21, key: `r/${repository.root.repositoryId}/p/`, problem, remedy }];
  }
  const unknown = [...ids].filter((id) => !packs.has(id));
  return unknown.slice(0, mostTold).map((id) => ({
    invariant: 21,
    key: `r/${repository.root.repositoryId}/p/`,
    problem: `the side files do not know ${id}, which is in a pack`,
    remedy,
  }));
}

interface Named {
  readonly id: string;
  /** Its name, for people. */
  readonly by: string;
}

/** Everything that a ref leads to can be read, and matches its id. */
async function checkReachable({ refs, root }: OpenRepository, copy: Copy): Promise<Finding[]> {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  const waiting: Named[] = refs.entries.map(({ id, name }) => ({ id, by: name }));
  for (let next = waiting.pop(); next !== undefined && findings.length < mostTold; next = waiting.pop()) {
    const { id, by } = next;
    if (seen.has(id)) continue;
    seen.add(id);
    const problem = copy.ids.has(id)
      ? await readInto(waiting, id, copy, seen)
      : `${id} is in no pack; ${by} names it`;
    if (problem !== undefined)
      findings.push({ invariant: 14, key: `R#${root.repositoryId}#G / ROOT`, problem, remedy });
  }
  return findings;
}

/**
 * Reads the objects that an object names; blobs were read when their pack was indexed. Answers what is wrong with it.
 */
async function readInto(
  waiting: Named[],
  id: string,
  { gitdir, library, cache, ids }: Copy,
  seen: Set<string>,
): Promise<string | undefined> {
  try {
    // Parsed by our own code: isomorphic-git refuses some objects in histories of old projects.
    const { type, object } = await library.readObject({ fs, gitdir, oid: id, format: "content", cache });
    const data = Buffer.from(object as Uint8Array);
    if (type === "commit") {
      const { tree, parents } = parseCommit(data);
      for (const named of [tree, ...parents]) waiting.push({ id: named, by: `commit ${id}` });
    } else if (type === "tag") waiting.push({ id: parseTag(data).object, by: `tag ${id}` });
    else if (type === "tree") {
      for (const entry of parseTree("sha1", data)) {
        const kind = typeOfMode(entry.mode);
        if (kind === "commit") continue; // of a submodule, which lies elsewhere
        if (kind === "blob" && ids.has(entry.id)) seen.add(entry.id);
        else waiting.push({ id: entry.id, by: `tree ${id}` });
      }
    }
    return undefined;
  } catch (error) {
    return `${id} can't be read: ${(error as Error).message}`;
  }
}
