import { accessMode, modeOf } from "#core/access/modes";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import {
  type ComparedCommits,
  compareCommits,
  diffBetween,
  findRange,
  parseRange,
  patchesBetween,
} from "#core/code/compare";
import { isCodeEmpty, openCode } from "#core/code/open";
import { notFound } from "#core/errors";
import type { Forge } from "#core/forge";
import { findRelatedRepository } from "#core/repository/fork/related";
import { plainTextAnswer, upToMostBytes } from "../../http/answer/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/query.ts";
import { detailQuery, presentCommits } from "./details.ts";
import { Compare } from "./schema.ts";

/** A comparison that a caller asks for. */
interface CompareRequest {
  readonly forge: Forge;
  readonly actor: Actor | undefined;
  readonly access: RepositoryAccess;
  readonly signal: AbortSignal;
}

/** Both commits of `base...head`, where head may be `owner:ref` or `owner/name:ref` of a related repository. */
async function rangeOf(
  { forge, actor, access, signal }: CompareRequest,
  basehead: string,
): Promise<ComparedCommits> {
  if (modeOf(access.rights, "pulls") < accessMode.read) {
    throw notFound("pull requests are off or hidden here, and comparing is theirs");
  }
  const { base, head } = parseRange(basehead);
  const code = await openCode(forge, access.repository.id, signal);
  if (isCodeEmpty(code)) throw notFound("the repository is empty");
  const [owner = "", ref, ...more] = (head ?? "").split(":");
  if (ref === undefined) return findRange(forge, code, { base, head });
  const related = more.length > 0 ? undefined : await findRelatedRepository(forge, actor, access, owner);
  if (related === undefined) throw notFound(`there is no such head [ref: ${head}]`);
  const isOwn = related.repository.id === access.repository.id;
  const headCode = isOwn ? code : await openCode(forge, related.repository.id, signal);
  return findRange(forge, code, { base, head: ref }, headCode);
}

export const repoCompareDiff = endpoint({
  id: "repoCompareDiff",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/compare/{basehead}",
  summary: "Compare two refs: base...head tells the commits of head that base lacks",
  description:
    "Asks for the right to read pull requests, too. head may be owner:ref of a fork or of the parent. At most 1,000 commits, and 4 MB of them, are listed; total_commits counts them all. With output the answer is a text.",
  cost: "heavy",
  needs: { scope: ["repository"], repository: { mode: "read", unit: "code" } },
  slashed: "basehead",
  isSlashedOptional: true,
  query: {
    verification: detailQuery.verification,
    files: detailQuery.files,
    output: text.openapi({
      description: "diff: the changes of head since it left base; patch: its commits as mails; else JSON",
    }),
  },
  status: 200,
  returns: { json: Compare },
  otherReturns: { status: 200, text: true },
  errors: [400, 403, 404, 413],
  handle: async (request) => {
    const { verification, files, output } = request.query;
    const compared = await rangeOf(request, request.params.basehead);
    if (output === "diff") return plainTextAnswer(await diffBetween(compared));
    if (output === "patch") return plainTextAnswer(await patchesBetween(compared));
    const { ids, total } = await compareCommits(compared);
    const wanted = { verification, files, stat: false };
    const commits = presentCommits(request, compared.code, ids, wanted);
    const shown = await upToMostBytes(request.forge, commits, (one) => [one, one.files]); // files come twice
    return { total_commits: total, commits: shown, files: shown.flatMap((one) => one.files ?? []) };
  },
});
