import { accessMode, modeOf } from "../../access/modes.ts";
import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { openCode } from "../../code/open.ts";
import { defined } from "../../defined.ts";
import { ForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { largestCommitBytes } from "../../git/format/check.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { reachesAll } from "../../git/history/find-unreached.ts";
import type { RefChange, Ruling } from "../../git/refs/check-changes.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import type { PushedObjects, PushFacts } from "../../git/store/push/push.ts";
import { PushedHistory, TooMuchToJudge } from "../../git/store/push/pushed-history.ts";
import type { RefSnapshot } from "../../git/store/refs/snapshot.ts";
import { nextId, nextIssueNumber } from "../../ids.ts";
import { requireUnblocked } from "../../issue/blocks.ts";
import {
  followIssueChange,
  type IssueChange,
  type PlannedChange,
  writesOfIssueChange,
} from "../../issue/change/change.ts";
import { entryIds } from "../../issue/change/timeline.ts";
import { issueTextProblem } from "../../issue/edit.ts";
import { issueKey } from "../../issue/issue.table.ts";
import { bareIssue, planNewIssue } from "../../issue/new-issue.ts";
import { lazy } from "../../lazy.ts";
import { absent } from "../../table/condition.ts";
import { put, type Write } from "../../table/write.ts";
import { isDraftTitle } from "../draft.ts";
import { dismissApprovals, planHeadMove, pushedCommits } from "../follow/head-move.ts";
import { headNameOf, pushedHead } from "../head/pushed-head.ts";
import { type OpenPullRow, type PullPart, type PullRequest, pairKey, pullHeadRef } from "../pull.table.ts";
import { newestCommon } from "../sides.ts";
import { type AskedRequest, readRequestRef } from "./request-ref.ts";
import { requestText } from "./request-text.ts";

/** A request that a push made, or moved. */
export interface PushedRequest {
  readonly number: number;
  /** `<user>/<topic>`. */
  readonly head: string;
  readonly base: string;
}

/** One ref of a push that asks for a request, as an attempt finds the repository. */
export interface RequestAttempt {
  readonly access: RepositoryAccess;
  readonly snapshot: RefSnapshot;
  readonly change: RefChange;
  readonly options: readonly string[];
  readonly objects: PushedObjects;
}

/** The same, read. */
interface Judging extends RequestAttempt {
  readonly asked: AskedRequest;
  readonly headId: ObjectId;
  readonly commitData: Buffer;
  readonly history: PushedHistory;
}

/** What is to happen to a request, by the latest attempt. */
interface Plan {
  readonly pull: PullRequest;
  readonly isNew: boolean;
  change(): Promise<Required<PlannedChange>>;
}

/** A push that brings more commits than this doesn't become a request. */
const mostCommits = 100_000;

/**
 * A push to `refs/for/<branch>/<topic>`, over all its attempts: it opens a request from the commit, or moves the open one
 * of this user, branch and topic. The request and the ref that keeps its head are written in the push's transaction.
 */
export class RequestPush {
  readonly #forge: Forge;
  readonly #actor: Actor;
  readonly #drawIds: ReturnType<typeof entryIds>;
  readonly #drawPlace: () => Promise<Pick<PullRequest, "id" | "number">>;
  #plan: Plan | undefined;
  /** What each attempt wrote: one whose answer was lost may be the one that landed. */
  readonly #written = new WeakMap<PushFacts, { readonly change: IssueChange; readonly isNew: boolean }>();

  constructor(forge: Forge, repositoryId: number, actor: Actor) {
    this.#forge = forge;
    this.#actor = actor;
    this.#drawIds = entryIds(forge);
    this.#drawPlace = lazy(async () => {
      const { table } = forge;
      const [id, number] = await Promise.all([nextId(table, "issue"), nextIssueNumber(table, repositoryId)]);
      return { id, number };
    });
  }

  /** The ref that lands in the place of the pushed one, or why none does. Asked again after every lost race. */
  async judge(attempt: RequestAttempt): Promise<Ruling> {
    this.#plan = undefined;
    const { access, snapshot, change, options, objects } = attempt;
    const { new: headId } = change;
    if (headId === undefined) return "there is nothing to delete: close the pull request";
    if (modeOf(access.rights, "pulls") < accessMode.read) return "pull requests are not for you here";
    const asked = readRequestRef(change.name, snapshot.refs, options);
    if (typeof asked === "string") return asked;
    const object = await objects.read(headId);
    if (object?.type !== "commit") return "the head of a pull request is a commit";
    if (object.data.length > largestCommitBytes)
      return `the commit has more than ${largestCommitBytes} bytes`;
    const history = new PushedHistory(objects, mostCommits);
    try {
      return await this.#judge({ ...attempt, asked, headId, commitData: object.data, history });
    } catch (error) {
      if (error instanceof TooMuchToJudge) return "too much history at once: push a branch instead";
      if (error instanceof ForgeError && isRefusal(error)) return error.message;
      throw error;
    }
  }

  async #judge(judging: Judging): Promise<Ruling> {
    const { access, asked } = judging;
    const { id, ownerId } = access.repository;
    await requireUnblocked(this.#forge, access, this.#actor, ownerId);
    const head = pushedHead(this.#actor.user.id, asked.topic);
    const pair = { base: asked.base, headRepositoryId: id, head };
    const { table } = this.#forge;
    const row = await table.get<OpenPullRow>(pairKey(id, pair));
    const open = row && (await table.get<PullRequest>(issueKey(id, row.number)));
    const isOpen = open !== undefined && !open.isClosed && open.pull.base === asked.base;
    return isOpen ? this.#move(judging, open) : this.#open(judging, head);
  }

  async #open(judging: Judging, head: string): Promise<Ruling> {
    const { asked, access, commitData, headId } = judging;
    const { id: repositoryId } = access.repository;
    const text = requestText(asked, commitData);
    const problem = issueTextProblem(text);
    if (problem !== undefined) throw problem;
    const part: PullPart = {
      ...{ base: asked.base, headRepositoryId: repositoryId, head, headId },
      mergeBase: await newestCommon(judging, asked.baseId, headId),
      isDraft: isDraftTitle(this.#forge.config, text.title),
      allowsMaintainerEdit: false,
    };
    const place = { kind: "pull", repositoryId, ...(await this.#drawPlace()) } as const;
    const pull: PullRequest = {
      ...bareIssue(this.#forge, place, text, this.#actor),
      kind: "pull",
      pull: part,
    };
    const changing = { actor: this.#actor, at: pull.createdAt, entryIds: this.#drawIds, labelOrder: [] };
    const change = async () => ({
      change: await planNewIssue(this.#forge, pull, changing),
      issueWrite: put(pull, absent),
    });
    this.#plan = { pull, isNew: true, change };
    return { change: { name: pullHeadRef(pull.number), new: headId }, isForced: false };
  }

  async #move(judging: Judging, open: PullRequest): Promise<Ruling> {
    const { snapshot, objects, asked, headId, history } = judging;
    const { number, pull } = open;
    const former = pull.headId;
    const named = `pull request ${number}`;
    if (former === headId) return `${named} has this commit already`;
    // A head that came with a push after this one began is in nothing that was pushed here.
    const isForced = (await reachesAll(objects.read, [headId], [former], mostCommits)) !== "all";
    if (isForced && !asked.mayForce) {
      return `${named} has commits that this push takes away: fetch it, or push with -o force-push`;
    }
    const pushed = await pushedCommits(history, { former, headId, isForced });
    const head = { headId, mergeBase: await newestCommon(judging, asked.baseId, headId), pushed };
    const change = () =>
      planHeadMove(this.#forge, open, head, { actor: this.#actor, entryIds: this.#drawIds });
    this.#plan = { pull: open, isNew: false, change };
    const name = pullHeadRef(number);
    return { change: { name, new: headId, ...defined({ old: snapshot.refs.find(name)?.id }) }, isForced };
  }

  /** The writes about the request, for the push's transaction; none when its ref does not land. */
  async writes({ repository }: RepositoryAccess, facts: PushFacts): Promise<readonly Write[]> {
    const ref = this.#plan && pullHeadRef(this.#plan.pull.number);
    if (this.#plan === undefined || !facts.changes.some(({ name }) => name === ref)) return [];
    const planned = await this.#plan.change();
    this.#written.set(facts, { change: planned.change, isNew: this.#plan.isNew });
    return writesOfIssueChange(planned, repository);
  }

  /** Sees to what follows the transaction; answers the request that it made or moved. */
  async follow(access: RepositoryAccess, facts: PushFacts): Promise<PushedRequest | undefined> {
    const written = this.#written.get(facts);
    if (written === undefined) return undefined;
    const pull = written.change.issue as PullRequest;
    await followIssueChange(this.#forge, written.change);
    if (written.isNew) await this.#askCodeOwners(access, pull);
    else await dismissApprovals(this.#forge, pull, this.#actor);
    const { number, pull: part } = pull;
    return { number, head: headNameOf(part, this.#actor.user.name), base: part.base };
  }

  async #askCodeOwners(access: RepositoryAccess, pull: PullRequest): Promise<void> {
    const { isDraft, headId, mergeBase, base } = pull.pull;
    if (isDraft) return;
    const code = await openCode(this.#forge, access.repository.id);
    const baseId = code.repository.refs.find(branchPrefix + base)?.id;
    if (baseId === undefined) return;
    const { askCodeOwners, findCodeOwners } = await import("../../review/code-owners/code-owners.ts"); // loaded where it is used
    const owners = await findCodeOwners(this.#forge, { code, baseId, headId, mergeBase }).catch(
      (error: unknown) => {
        const { repositoryId, number } = pull; // it landed with the push
        this.#forge.log.warn("review:code-owners-not-found", { repositoryId, number, error });
        return [];
      },
    );
    await askCodeOwners(this.#forge, access, pull, owners, this.#actor);
  }
}

/** Refusals that the pusher can do something about. */
const isRefusal = ({ code }: ForgeError): boolean => code === "forbidden" || code === "invalid";
