import { notFound, targetNotFound } from "../errors.ts";
import { isObjectId, type ObjectId } from "../git/format/object-format.ts";
import { directoryMode, gitlinkMode, symlinkMode } from "../git/format/tree.ts";
import { lastCommits } from "../git/history/last-commits.ts";
import { branchPrefix, tagPrefix } from "../git/refs/ref-name.ts";
import { findContentsAt } from "./contents.ts";
import { cleanPath, isInsideGit, rawPath, splitPath } from "./internal/path.ts";
import { type Code, findCommit, getCommit, isCodeEmpty, type NamedCommit } from "./open.ts";

/** A blob by its path. */
export interface RawFile {
  readonly id: ObjectId;
  readonly kind: "file" | "symlink";
  readonly name: string;
  readonly sizeBytes: number;
  /** Committer date of the newest commit that changed it, whole seconds; absent when finding it takes too long. */
  readonly modifiedAt?: number;
  /** The first bytes, to find the type. */
  readonly sample: Buffer;
  read(): AsyncIterable<Uint8Array>;
}

const sampleBytes = 1_024;
/** Larger files are read in pieces. */
const largestWhole = 2 ** 20;
/** The most slashes in a ref at the beginning of a path; names of refs end at 1,000 bytes. */
const mostRefSegments = 100;

/**
 * The file at a path (semantics §37.1). Without a ref the path may begin with one: a branch, HEAD, a tag, a whole id;
 * else the path is one of the default branch. NotFound for folders, submodules, and missing files.
 */
export async function readRawFile(code: Code, asked: string, ref: string | undefined): Promise<RawFile> {
  if (isCodeEmpty(code)) throw noFile(asked);
  const place =
    ref === undefined ? await splitRef(code, asked) : { commit: await getCommit(code, ref), path: asked };
  return fileAt(code, place ?? { commit: await getCommit(code, undefined), path: asked }, asked);
}

const noFile = (asked: string) => targetNotFound(`there is no such file [path: ${asked}]`);

/** A commit, and a path in it. */
interface Place {
  readonly commit: NamedCommit;
  readonly path: string;
}

async function fileAt(code: Code, place: Place, asked: string): Promise<RawFile> {
  const { commit } = place;
  const path = cleanPath(place.path);
  const found = await findContentsAt(code, commit.id, path);
  if (found === undefined || isInsideGit(path)) throw noFile(asked);
  if (found.mode === directoryMode || found.mode === gitlinkMode) throw noFile(asked);
  return describe(code, commit, path, found);
}

/** A blob by its whole id, which is its name, too. NotFound when there is none. */
export async function readRawBlob({ history }: Code, asked: string): Promise<RawFile> {
  const id = asked.toLowerCase();
  const place = isObjectId(history.format, id) ? history.packs.find(id) : undefined;
  if (place === undefined || history.packs.typeOf(place) !== "blob") throw noFile(asked);
  return { id, kind: "file", name: id, ...(await bytesOf(history, id)) };
}

/**
 * The file at a path that begins with a ref of this kind. NotFound as in `readRawFile`, and when there is no such ref.
 */
export async function readRawFileAt(code: Code, kind: NamedCommit["kind"], asked: string): Promise<RawFile> {
  const place = isCodeEmpty(code) ? undefined : await splitRef(code, asked, kind);
  if (place === undefined) throw notFound(`there is no such ${kind} [path: ${asked}]`);
  return fileAt(code, place, asked);
}

/**
 * The ref at the beginning of a path, of one kind or of any, and the rest; undefined when the path begins with no ref.
 */
async function splitRef(code: Code, asked: string, kind?: NamedCommit["kind"]): Promise<Place | undefined> {
  const { refs } = code.repository;
  const segments = asked.split("/");
  const heads = segments.slice(0, mostRefSegments).map((_, at) => segments.slice(0, at + 1).join("/"));
  const { format } = code.history;
  const tests = [
    { of: "branch", test: (head: string) => refs.find(`${branchPrefix}${head}`)?.name },
    { of: "branch", test: (head: string) => (head === "HEAD" ? head : undefined) },
    { of: "tag", test: (head: string) => refs.find(`${tagPrefix}${head}`)?.name },
    { of: "commit", test: (head: string) => (isObjectId(format, head) ? head : undefined) },
  ];
  for (const { of, test } of tests) {
    if (kind !== undefined && of !== kind) continue;
    const at = heads.findIndex((head) => test(head) !== undefined);
    const commit = at < 0 ? undefined : await findCommit(code, test(heads[at] as string));
    if (commit !== undefined) return { commit, path: segments.slice(at + 1).join("/") };
  }
  return undefined;
}

async function describe(
  { history }: Code,
  commit: NamedCommit,
  path: string,
  { id, mode }: { id: ObjectId; mode: number },
): Promise<RawFile> {
  const { folder, name } = splitPath(path);
  const raw = rawPath(name);
  const last = await lastCommits(history, commit.id, rawPath(folder), { names: [raw] });
  const lastId = last?.commits.get(raw);
  return {
    ...{ id, name },
    kind: mode === symlinkMode ? "symlink" : "file",
    ...(lastId === undefined ? {} : { modifiedAt: (await history.links(lastId)).seconds }),
    ...(await bytesOf(history, id)),
  };
}

async function bytesOf(
  history: Code["history"],
  id: ObjectId,
): Promise<Pick<RawFile, "sizeBytes" | "read" | "sample">> {
  const sizeBytes = history.sizeOf(id);
  const place = history.packs.find(id);
  if (place === undefined) throw new Error(`no pack holds ${id}`);
  const read = () => (sizeBytes > largestWhole ? history.stream(place) : whole(history, id));
  return { sizeBytes, read, sample: await firstBytes(read()) };
}

async function* whole(history: Code["history"], id: ObjectId): AsyncGenerator<Buffer> {
  yield (await history.object(id)).data;
}

async function firstBytes(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let sample = Buffer.alloc(0);
  for await (const piece of pieces) {
    sample = Buffer.concat([sample, piece.subarray(0, sampleBytes - sample.length)]);
    if (sample.length >= sampleBytes) break;
  }
  return sample;
}
