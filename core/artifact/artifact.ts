import { badRequest, type ForgeError, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { listFromIndex } from "../list-index/list-index.ts";
import type { PageRequest } from "../page.ts";
import { keyText } from "../table/write.ts";
import { type ArtifactFilter, artifactIndex } from "./artifact.index.ts";
import {
  type Artifact,
  type ArtifactName,
  artifactKey,
  artifactNameKey,
  artifactNamesOf,
  artifactNumberIn,
} from "./artifact.table.ts";

const mostNameLength = 255;

/** Why an artifact may not have this name, or undefined when it may (semantics §62.3). */
export function artifactNameProblem(name: string): ForgeError | undefined {
  const isFine =
    name.trim() !== "" && name.length <= mostNameLength && !/[\p{Cc}\p{Surrogate}\\/":<>|*?]/u.test(name);
  return isFine
    ? undefined
    : badRequest(
        `an artifact's name has 1 to ${mostNameLength} characters, and none of \\ / " : < > | * ? among them`,
      );
}

/** The artifact of this number, whatever its state, or undefined. */
export const findArtifact = (
  { table }: Pick<Forge, "table">,
  repositoryId: number,
  number: number,
): Promise<Artifact | undefined> => table.get<Artifact>(artifactKey(repositoryId, number));

/** The artifact of a run under a name, whatever its state, or undefined. */
export async function findArtifactOfRun(
  { table }: Pick<Forge, "table">,
  repositoryId: number,
  runId: number,
  name: string,
): Promise<Artifact | undefined> {
  if (artifactNameProblem(name) !== undefined) return undefined;
  const found = await table.get<ArtifactName>(artifactNameKey({ repositoryId, runId, name }));
  return found === undefined ? undefined : findArtifact({ table }, repositoryId, found.number);
}

/** The artifact of this id. NotFound for one of another repository, and for one that is still being uploaded. */
export async function getArtifact(forge: Forge, repositoryId: number, id: number): Promise<Artifact> {
  const number = artifactNumberIn(repositoryId, id);
  const found = number === undefined ? undefined : await findArtifact(forge, repositoryId, number);
  if (found === undefined || found.state === "pending") throw notFound(`artifact does not exist [id: ${id}]`);
  return found;
}

/** Whether its time is over, even if nobody has removed its file yet. */
export const isArtifactOver = ({ clock }: Pick<Forge, "clock">, { state, expiresAt }: Artifact): boolean =>
  state === "expired" || expiresAt * 1000 <= clock.now();

/** One page of a repository's artifacts and the number of all: the newest first, expired ones too, no pending ones. */
export async function listArtifacts(
  forge: Forge,
  repositoryId: number,
  { page, limit, ...filter }: ArtifactFilter & PageRequest,
): Promise<{ readonly items: readonly Artifact[]; readonly total: number }> {
  const query = { filter, sort: "newest", page, limit } as const;
  const { ids, total } = await listFromIndex(forge, artifactIndex(repositoryId), query);
  const keys = ids.map((number) => artifactKey(repositoryId, number));
  const found = await forge.table.getAll<Artifact>(keys);
  return { items: keys.flatMap((key) => found.get(keyText(key)) ?? []), total };
}

/** A run has more than this only by intent; clients look at the first thousand. */
const mostOfRun = 5_000;

/**
 * The artifacts of a run whose file is there, by name, or that of one name: strongly read, for jobs that look for what
 * another has just uploaded. Beyond 5,000 the others are left out.
 */
export async function listArtifactsOfRun(
  forge: Forge,
  repositoryId: number,
  runId: number,
  name?: string,
): Promise<Artifact[]> {
  const isThere = (one: Artifact | undefined): one is Artifact =>
    one?.state === "confirmed" && !isArtifactOver(forge, one);
  if (name !== undefined) {
    return [await findArtifactOfRun(forge, repositoryId, runId, name)].filter(isThere);
  }
  const names: ArtifactName[] = [];
  for (let after: string | undefined; names.length < mostOfRun; ) {
    const limit = mostOfRun - names.length;
    const page = await forge.table.query<ArtifactName>({
      ...artifactNamesOf(repositoryId, runId),
      limit,
      ...(after !== undefined && { after }),
    });
    names.push(...page.items);
    if (page.next === undefined) break;
    after = page.next;
  }
  const keys = names.map(({ number }) => artifactKey(repositoryId, number));
  const found = await forge.table.getAll<Artifact>(keys);
  return keys.map((key) => found.get(keyText(key))).filter(isThere);
}

/** The file of a confirmed artifact, and its name for people who save it. NotFound once its time is over. */
export function artifactFile(forge: Forge, artifact: Artifact): { readonly objectKey: string } {
  const { objectKey, name } = artifact;
  if (objectKey === undefined || isArtifactOver(forge, artifact)) {
    throw notFound(`the artifact has expired [name: ${name}]`);
  }
  return { objectKey };
}

/** The longest that an address of a file counts. */
export const linkSeconds = 3600;

/** An address where S3 serves an artifact's file itself, for an hour; undefined when clients can't reach S3. */
export const artifactDownloadUrl = (
  { blobs }: Forge,
  objectKey: string,
  contentDisposition: string,
): Promise<string | undefined> =>
  blobs.downloadUrl(objectKey, { contentType: "application/zip", contentDisposition }, linkSeconds);
