import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { commitDetailsOf, type WantedDetails } from "#core/code/commit-details";
import { readInGroups } from "#core/code/commits";
import type { Code } from "#core/code/open";
import type { Forge } from "#core/forge";
import type { ObjectId } from "#core/git/format/object-format";
import type { IdentifiedCommit } from "#core/git/history/history";
import { viewOf } from "../../http/answer/view.ts";
import { flag } from "../../http/query.ts";
import { peopleOf } from "./people.ts";
import { presentCommit } from "./present.ts";
import type { CommitJson } from "./schema.ts";

/** A flag that is true when absent (semantics §35). */
const trueUnlessSaid = flag.default(true);

/** The parts that answers with commits may leave out. */
export const detailQuery = {
  stat: trueUnlessSaid.openapi({ description: "lines that were added and deleted; true when absent" }),
  verification: trueUnlessSaid.openapi({ description: "the judgment of the signature; absent: true" }),
  files: trueUnlessSaid.openapi({ description: "the files that were touched; true when absent" }),
};

export const noteDetailQuery = { verification: detailQuery.verification, files: detailQuery.files };

/** A request whose answer shows commits of one repository. */
export interface CommitRequest {
  readonly forge: Forge;
  readonly actor: Actor | undefined;
  readonly access: RepositoryAccess;
}

/** Commits as JSON, in their order, with the wanted details, each read when it is asked for. */
export async function* presentCommits(
  request: CommitRequest,
  code: Code,
  ids: readonly ObjectId[],
  wanted: WantedDetails,
): AsyncGenerator<CommitJson> {
  for await (const commits of readInGroups(code, ids)) yield* presentGroup(request, code, commits, wanted);
}

async function* presentGroup(
  request: CommitRequest,
  { history }: Code,
  commits: readonly IdentifiedCommit[],
  wanted: WantedDetails,
): AsyncGenerator<CommitJson> {
  const people = await peopleOf(request, commits);
  for await (const one of commitDetailsOf(request.forge, history, commits, wanted)) {
    yield presentCommit(viewOf(request), request.access, one, people);
  }
}

/** The one commit as JSON. */
export async function presentOne(
  request: CommitRequest,
  code: Code,
  commit: IdentifiedCommit,
  wanted: WantedDetails,
): Promise<CommitJson> {
  const { value } = await presentGroup(request, code, [commit], wanted).next();
  return value as CommitJson;
}
