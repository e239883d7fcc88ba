import { defined } from "../defined.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { History } from "../git/history/history.ts";
import { findRevision } from "../git/history/revision.ts";
import { mostMergeMemory } from "../git/merge/merge-memory.ts";
import { visibleRepository } from "../git/refs/hidden-refs.ts";
import { branchPrefix, tagPrefix } from "../git/refs/ref-name.ts";
import { openHistory } from "../git/store/commit-graph/load-graph.ts";
import { type OpenRepository, openRepository } from "../git/store/store.ts";

/** A repository's refs at one version, without the service's own, and its objects. */
export interface Code {
  readonly repository: OpenRepository;
  readonly history: History;
  /** Reserves memory for the answer, like `Forge`. */
  readonly reserve: Forge["reserve"];
  readonly reserveInAll: Forge["reserveInAll"];
}

/** A commit, and how the caller named it. */
export interface NamedCommit {
  readonly id: ObjectId;
  readonly kind: "branch" | "tag" | "commit";
  /** Short name of the branch or tag; of a commit its whole id. */
  readonly name: string;
}

/**
 * Opens the code of a repository for one request, which may read for `timeMs` (25 s when absent). NotFound when it was
 * deleted meanwhile.
 */
export async function openCode(
  forge: Forge,
  repositoryId: number,
  signal: Pick<AbortSignal, "throwIfAborted"> = forge.awaited,
  timeMs?: number,
): Promise<Code> {
  const opened = await openRepository(forge, repositoryId);
  if (opened === undefined) throw notFound("the repository was deleted meanwhile");
  const repository = visibleRepository(opened);
  return {
    repository,
    reserve: forge.reserve,
    reserveInAll: forge.reserveInAll,
    history: await openHistory(forge, opened, {
      compute: forge.compute,
      reserveInAll: (bytes) => forge.reserveInAll(bytes, mostMergeMemory),
      ...defined({ signal, timeMs }),
    }),
  };
}

/** Whether nothing was pushed yet: no branch is there. */
export const isCodeEmpty = ({ repository }: Code): boolean => repository.root.branches === 0;

/** The commit that a branch, a tag, an id or a short id (of 4 digits or more) names; without a name, HEAD's. */
export async function findCommit(code: Code, text: string | undefined): Promise<NamedCommit | undefined> {
  const asked = text === undefined || text === "" ? "HEAD" : text;
  const found = await findRevision(code.history, code.repository, asked, "commit");
  if (found.kind !== "found") return undefined;
  const { id, ref } = found;
  if (ref?.startsWith(branchPrefix)) return { id, kind: "branch", name: ref.slice(branchPrefix.length) };
  if (ref?.startsWith(tagPrefix)) return { id, kind: "tag", name: ref.slice(tagPrefix.length) };
  return { id, kind: "commit", name: id };
}

/** The same; NotFound when the text names no commit. */
export async function getCommit(code: Code, text: string | undefined): Promise<NamedCommit> {
  const found = await findCommit(code, text);
  if (found === undefined) throw notFound(`there is no branch, tag or commit [ref: ${text ?? "HEAD"}]`);
  return found;
}
