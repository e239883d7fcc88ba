import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { commitDetailsOf, type WantedDetails } from "#core/code/commit-details";
import type { Code } from "#core/code/open";
import type { Forge } from "#core/forge";
import type { IdentifiedCommit } from "#core/git/walk/history";
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

/** Commits as JSON, in their order, with the wanted details. */
export async function presentCommits(
  request: CommitRequest,
  { history }: Code,
  commits: readonly IdentifiedCommit[],
  wanted: WantedDetails,
): Promise<CommitJson[]> {
  const details = await commitDetailsOf(request.forge, history, commits, wanted);
  const people = await peopleOf(request, commits);
  return details.map((one) => presentCommit(viewOf(request), request.access, one, people));
}

/** The one commit as JSON. */
export async function presentOne(
  request: CommitRequest,
  code: Code,
  commit: IdentifiedCommit,
  wanted: WantedDetails,
): Promise<CommitJson> {
  const [json] = await presentCommits(request, code, [commit], wanted);
  return json as CommitJson;
}
