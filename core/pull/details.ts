import { isHiddenFromToken } from "../access/public-only.ts";
import { findAccessesById, type RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { findReferredByIssues, type ReferredByIssues } from "../issue/referred.ts";
import { type RepositoryDetails, repositoryDetailsOf } from "../repository/details.ts";
import { keyText } from "../table/write.ts";
import { findOwnersTeams } from "../team/of-owner.ts";
import type { Team } from "../team/team.table.ts";
import { findUsersNear } from "../user/find-near.ts";
import type { User } from "../user/user.table.ts";
import { type ReadRefs, readRefsOnce, tryFollowHead } from "./follow/follow-head.ts";
import { judgePull } from "./judge.ts";
import { type Judgement, judgementKey, type PullRequest } from "./pull.table.ts";

/** A pull request with what its JSON form shows beside it. */
export interface PullDetails {
  readonly pull: PullRequest;
  /** The base branch's tip; of a request whose base is gone the commit that it began from. */
  readonly baseId: ObjectId;
  /** The head's repository; absent when it is gone, or hidden from the caller. */
  readonly head?: RepositoryDetails;
  /** The head branch is there. */
  readonly hasHeadBranch: boolean;
  /** Absent when nobody knows yet. */
  readonly judgement?: Judgement;
}

/** Pull requests of one repository, and the things that they refer to. */
export interface ShownPulls {
  readonly base: RepositoryDetails;
  readonly pulls: readonly PullDetails[];
  readonly referred: ReferredByIssues;
  /** Teams that are asked for reviews, by id. */
  readonly teams: ReadonlyMap<number, Team>;
}

/**
 * How long a list may follow heads and judge requests that nobody has judged yet. Reading a single request does it,
 * too.
 */
const patienceMs = 2_000;

/** Reads what requests of a repository refer to. The heads of open ones are followed first, as in `followHead`. */
export async function showPulls(
  forge: Forge,
  actor: Actor | undefined,
  access: RepositoryAccess,
  listed: readonly PullRequest[],
): Promise<ShownPulls> {
  const readRefs = readRefsOnce(forge);
  const pulls: PullRequest[] = [];
  const followedUntil = performance.now() + patienceMs;
  for (const pull of listed) {
    const isInTime = performance.now() < followedUntil;
    pulls.push(isInTime ? await tryFollowHead(forge, pull, readRefs) : pull);
  }
  const placed = pulls.map((issue) => ({ place: access, issue }));
  const userIds = pulls.flatMap(({ pull }) => [
    ...(pull.merge === undefined ? [] : [pull.merge.mergerId]),
    ...(pull.reviewing?.userIds ?? []),
  ]);
  const teamIds = pulls.flatMap(({ pull }) => pull.reviewing?.teamIds ?? []);
  const [base, heads, judgements, referred, beside, teams] = await Promise.all([
    repositoryDetailsOf(forge, access, actor),
    findHeads(forge, actor, access, pulls),
    forge.table.getAll<Judgement>(pulls.map((pull) => judgementKey(pull.repositoryId, pull.number))),
    findReferredByIssues(forge, actor, placed),
    findUsersNear(forge, actor, [access], userIds),
    findOwnersTeams(forge, access.owner.id, teamIds),
  ]);
  const deadline = performance.now() + patienceMs;
  const shown: PullDetails[] = [];
  for (const pull of pulls) {
    const kept = judgements.get(keyText(judgementKey(pull.repositoryId, pull.number)));
    const details = await detailsOf(pull, access, base, heads, readRefs);
    const isJudged = !pull.isClosed && performance.now() < deadline;
    const judgement = isJudged ? await judgePull(forge, pull, details.baseId, kept) : kept;
    shown.push({ ...details, ...defined({ judgement }) });
  }
  const users: ReadonlyMap<number, User> = new Map([...referred.users, ...beside]);
  return { base, pulls: shown, referred: { ...referred, users }, teams };
}

async function detailsOf(
  pull: PullRequest,
  { repository }: RepositoryAccess,
  base: RepositoryDetails,
  heads: ReadonlyMap<number, RepositoryDetails>,
  readRefs: ReadRefs,
): Promise<PullDetails> {
  const { headRepositoryId } = pull.pull;
  const own = await readRefs(repository.id);
  const headRefs = await readRefs(headRepositoryId);
  const head = headRepositoryId === repository.id ? base : heads.get(headRepositoryId);
  return {
    pull,
    baseId: own?.refs.find(branchPrefix + pull.pull.base)?.id ?? pull.pull.mergeBase,
    hasHeadBranch:
      headRefs?.root.state === "live" && headRefs.refs.find(branchPrefix + pull.pull.head) !== undefined,
    ...defined({ head }),
  };
}

/** The repositories of heads elsewhere that the caller may see. */
async function findHeads(
  forge: Forge,
  actor: Actor | undefined,
  { repository }: RepositoryAccess,
  pulls: readonly PullRequest[],
): Promise<ReadonlyMap<number, RepositoryDetails>> {
  const ids = [...new Set(pulls.map(({ pull }) => pull.headRepositoryId))].filter(
    (id) => id !== repository.id,
  );
  if (ids.length === 0) return new Map();
  const found = await findAccessesById(forge, actor, ids);
  const visible = [...found.values()].filter((access) => !isHiddenFromToken(actor, access));
  const details = await Promise.all(visible.map((access) => repositoryDetailsOf(forge, access, actor)));
  return new Map(details.map((one) => [one.repository.id, one]));
}
