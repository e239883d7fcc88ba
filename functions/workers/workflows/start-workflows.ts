import { isActionsOn } from "#core/actions/actions-on";
import { hasRunFor } from "#core/actions/run/run-list";
import { startRun } from "#core/actions/run/start-run";
import { disabledWorkflows } from "#core/actions/schedule/disabled-workflows";
import { readPlans, rebuildPlans, settlePlans } from "#core/actions/schedule/plans";
import { type Plans, plansKey } from "#core/actions/schedule/plans.table";
import { Filters, usualTypes } from "#core/actions/workflow/filters";
import { findWorkflows, type WorkflowFile } from "#core/actions/workflow/find-workflows";
import { firstLine, messageOf } from "#core/actions/workflow/first-line";
import { type Code, openCode } from "#core/code/open";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import type { LoggedChange } from "#core/git/refs/ref-log";
import { branchPrefix } from "#core/git/refs/ref-name";
import { lazy } from "#core/lazy";
import type { Owner } from "#core/owner/owner";
import { ownerKey } from "#core/owner/owner.table";
import type { PullRequest } from "#core/pull/pull.table";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { findUserById } from "#core/user/find";
import { actionsUser, ghostUser } from "#core/user/system-users";
import type { User } from "#core/user/user.table";
import { noticesOf } from "../payloads/notices.ts";
import { packageNotice } from "../payloads/package.ts";
import { findSubject } from "../payloads/subject.ts";
import { findAbout, type WorkflowEvent } from "./about.ts";
import { findUnapproved, isFromFork } from "./foreign-code.ts";
import { type Happening, happeningsOf, happeningsOfPush, placeOfHappening } from "./happenings.ts";

/** An event, and what all its happenings share. */
interface Starting {
  readonly forge: Forge;
  readonly event: WorkflowEvent;
  readonly repository: Repository;
  readonly code: Code;
  readonly filters: Filters;
  /** The workflows that are switched off, who caused the event, and the owner. */
  readonly people: () => Promise<{
    readonly disabled: readonly string[];
    readonly actor: User;
    readonly ownerName: string;
  }>;
}

/** A push: the plans follow the default branch (semantics §11.1), and workflows start. */
export async function followPushOfWorkflows(
  forge: Forge,
  event: WorkflowEvent & { readonly renamed?: unknown },
  changes: readonly LoggedChange[],
): Promise<void> {
  const { repositoryId } = event;
  // One by one: both were read ahead of all that follows a push.
  const [repository, plans] = await Promise.all([
    forge.table.get<Repository>(repositoryKey(repositoryId)),
    forge.table.get<Plans>(plansKey(repositoryId)),
  ]);
  if (repository === undefined) return;
  if (!isActionsOn(forge.config, repository)) return plans && settlePlans(forge, repositoryId);
  const code = await openCode(forge, repositoryId);
  const main = branchPrefix + repository.defaultBranch;
  // A branch that was given another name makes plans with the next push.
  const isMoved = event.renamed === undefined && changes.some(({ name }) => name === main);
  if (isMoved) await rebuildPlans(forge, repositoryId, { repository, plans, code });
  else if (plans !== undefined && plans.branch !== repository.defaultBranch)
    await settlePlans(forge, repositoryId);
  if (event.actorId === actionsUser.id) return;
  const starting = beginning(forge, event, repository, code);
  for (const [at, one] of happeningsOfPush(changes).entries()) await startAll(starting, one, at);
}

/**
 * Starts the workflows that listen to an event other than a push (semantics §64): none when the Actions user caused it.
 * May be repeated: an event starts a workflow once.
 */
export async function startWorkflows(forge: Forge, event: WorkflowEvent): Promise<void> {
  if (event.actorId === actionsUser.id) return;
  const { repository, plans } = await readPlans(forge, event.repositoryId);
  if (repository === undefined || !isActionsOn(forge.config, repository)) return;
  if (event.kind === "package" && event.ownerId !== repository.ownerId) return;
  const isListened = ({ place, tag, event: name }: Happening) =>
    (place ?? tag) !== undefined || (plans !== undefined && (plans.events?.includes(name) ?? true));
  const wanted = happeningsOf(event, await findAbout(forge, event)).filter(isListened);
  if (wanted.length === 0) return;
  const starting = beginning(forge, event, repository, await openCode(forge, repository.id));
  for (const [at, happening] of wanted.entries()) await startAll(starting, happening, at);
}

/** What few events come to need is read when one does. */
const beginning = (forge: Forge, event: WorkflowEvent, repository: Repository, code: Code): Starting => ({
  ...{ forge, event, repository, code, filters: new Filters() },
  people: lazy(async () => {
    const [disabled, actor, owner] = await Promise.all([
      disabledWorkflows(forge, repository.id),
      findUserById(forge, event.actorId),
      forge.table.get<Owner>(ownerKey(repository.ownerId)),
    ]);
    return { disabled, actor: actor ?? ghostUser, ownerName: owner?.name ?? "" };
  }),
});

/** A commit's author asks for no runs by one of these words (semantics §64.1). */
const skipWords = ["[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]"];

async function startAll(starting: Starting, happening: Happening, at: number): Promise<void> {
  const { forge, repository, code, event } = starting;
  const place = await placeOfHappening(code, happening, repository.defaultBranch);
  if (place === undefined || !code.history.has(place.commitId)) return;
  const { type } = await code.history.object(place.commitId);
  if (type !== "commit") return;
  const files = await listening(starting, happening, await findWorkflows(forge, code, place.commitId));
  if (files.length === 0) return;
  const message = await messageOf(code, place.commitId);
  if (isSkipped(happening, message) || (await isRepeated(starting, happening, place.commitId))) return;
  const payload = await payloadOf(starting, happening);
  if (payload === undefined) return;
  const { actor, ownerName } = await starting.people();
  const unapproved = await findUnapproved(forge, repository, code, happening);
  const cause = {
    ...place,
    ...{ event: happening.event, title: firstLine(message), supersedes: happening.supersedes, payload },
    ...{ actorId: event.actorId, actorName: actor.name, ownerName },
    ...(happening.pull && pullMembers(repository, happening.pull)),
    ...(unapproved.length > 0 && { needsApproval: true as const, unapproved }),
  };
  for (const file of files) {
    await startRun(forge, repository, cause, file, { once: `${event.eventId} ${at} ${file.name}` });
  }
}

/** The files whose workflow wants it; a file that can't be read is told to its author, who pushes it. */
async function listening(
  { filters, people, code }: Starting,
  { event, type, filtered, changedPaths }: Happening,
  files: readonly WorkflowFile[],
): Promise<WorkflowFile[]> {
  const looked = {
    ...defined({ type, ref: filtered }),
    ...(changedPaths && { changedPaths: () => changedPaths(code) }),
  };
  const wanted: WorkflowFile[] = [];
  if (files.length === 0) return wanted;
  const { disabled } = await people();
  for (const file of files) {
    if (disabled.includes(file.name)) continue;
    if ("problem" in file.reading) {
      if (event === "push") wanted.push(file);
      continue;
    }
    const trigger = file.reading.workflow.triggers[event];
    if (trigger !== undefined && (await filters.wants(trigger, usualTypes[event], looked))) wanted.push(file);
  }
  return wanted;
}

function isSkipped({ event, pull }: Happening, message: string): boolean {
  if (event !== "push" && event !== "pull_request") return false;
  return skipWords.some((word) => message.includes(word) || pull?.title.includes(word) === true);
}

/** A request that follows its branch to a commit which it has run for already (semantics §64.1). */
const isRepeated = async ({ forge, repository }: Starting, { event, type }: Happening, commitId: string) =>
  event === "pull_request" &&
  type === "synchronize" &&
  (await hasRunFor(forge, repository.id, { events: ["pull_request"], commitId }));

const pullMembers = ({ id }: Repository, pull: PullRequest) => ({
  ...{ baseRef: pull.pull.base, headRef: pull.pull.head },
  ...(isFromFork(id, pull) ? { isFromFork: true as const } : {}),
});

/** The payload that hooks get for it; undefined when its subject is gone. */
async function payloadOf(starting: Starting, { notice }: Happening): Promise<object | undefined> {
  const { forge, event } = starting;
  const isWanted = async ({ eventType }: { readonly eventType: string }) =>
    notice === undefined || eventType === notice.eventType;
  if (event.kind === "package") return packagePayload(starting, event);
  const subject = await findSubject(forge, event);
  if (subject === undefined) return undefined;
  for await (const one of noticesOf(forge, event, subject, isWanted)) {
    if (notice === undefined || one.what === notice.what) return one.payloadFor("forgejo") as object;
  }
  return undefined;
}

async function packagePayload(
  { forge, repository }: Starting,
  event: Extract<WorkflowEvent, { kind: "package" }>,
): Promise<object | undefined> {
  const owner = await forge.table.get<Owner>(ownerKey(repository.ownerId));
  const [notice] = owner === undefined ? [] : await packageNotice(forge, event, { owner, repository });
  return notice?.payloadFor("forgejo") as object | undefined;
}
