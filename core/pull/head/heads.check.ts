import { defined } from "../../defined.ts";
import { isForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { commitPush } from "../../git/store/push/commit-push.ts";
import { readSnapshot } from "../../git/store/refs/snapshot.ts";
import { openRepository } from "../../git/store/store.ts";
import { issuesIn } from "../../issue/checked-issues.ts";
import { type Issue, issueKey, issueTombstoneKey } from "../../issue/issue.table.ts";
import { type Finding, shownKey } from "../../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../../lifecycle/check/repository-facts.ts";
import { absent, equals } from "../../table/condition.ts";
import { check, type Write } from "../../table/write.ts";
import { ghostUser } from "../../user/system-users.ts";
import { isPullRequest, type PullRequest, pullHeadRef, pullOfHeadRef } from "../pull.table.ts";

/** The pull requests of a repository, for checks that read the kind of issues. */
export function pullsIn(facts: RepositoryFacts): PullRequest[] {
  const all: readonly Issue[] = [...issuesIn(facts).values()];
  return all.filter(isPullRequest);
}

/** Refs that are damaged are findings of invariants 12 and 13; a table that is busy is none. */
function unlessRefused(error: unknown): undefined {
  if (isForgeError(error)) throw error;
}

/** Invariant 15: `refs/pull/<number>/head` names the head of each request, and of nothing else. */
export async function checkPullHeads(forge: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const { id } = facts.repository;
  const snapshot = await readSnapshot(forge.table, id).catch(unlessRefused);
  if (snapshot === undefined) return [];
  const pulls = pullsIn(facts);
  const numbers = new Set(pulls.map(({ number }) => number));
  const wrong = pulls.filter(
    ({ number, pull }) => snapshot.refs.find(pullHeadRef(number))?.id !== pull.headId,
  );
  const objects = wrong.length === 0 ? undefined : await (await openRepository(forge, id))?.packs();
  const isClearing = new Set(facts.items.map(({ sk }) => sk));
  const left = snapshot.refs.entries.flatMap(({ name, id: old }) => {
    const number = pullOfHeadRef(name) ?? 0;
    const isFine = number === 0 || numbers.has(number) || isClearing.has(issueTombstoneKey(id, number).sk);
    return isFine ? [] : [{ number, name, old }];
  });
  return [
    ...wrong.map((pull) => wrongHead(pull, snapshot.refs.find(pullHeadRef(pull.number))?.id, objects)),
    ...left.map(({ number, name, old }) => ({
      ...{ invariant: 15, key: name, problem: `repository ${id} has no request ${number}` },
      remedy: "removes the ref",
      repair: setRef(id, { name, old }, check(issueKey(id, number), absent)),
    })),
  ];
}

type Move = { readonly name: string; readonly old?: string; readonly new?: string };

function wrongHead(
  pull: PullRequest,
  old: string | undefined,
  objects: { has(id: string): boolean } | undefined,
): Finding {
  const { repositoryId, number, v } = pull;
  const { headId } = pull.pull;
  const name = pullHeadRef(number);
  const told = {
    ...{ invariant: 15, key: shownKey(pull) },
    problem: `its head is ${headId}, ${name} names ${old ?? "nothing"}`,
  };
  if (objects?.has(headId) !== true) {
    return {
      ...told,
      remedy: "nothing derives the commit: restore it from a backup, or push the branch again",
    };
  }
  const move: Move = { name, new: headId, ...defined({ old }) };
  const isAsRead = check(issueKey(repositoryId, number), equals({ v }));
  return { ...told, remedy: "lets the ref name the head", repair: setRef(repositoryId, move, isAsRead) };
}

/** Moves a ref from where it was found, on a condition. */
const setRef = (repositoryId: number, move: Move, when: Write) => async (forge: Forge) => {
  const outcome = await commitPush(forge, repositoryId, {
    ...{ changes: [move], pusherId: ghostUser.id, source: "create" },
    extraWrites: () => [when],
    budgetMs: 1_000,
  });
  return outcome.kind === "done" && outcome.facts !== undefined;
};
