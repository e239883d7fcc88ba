import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import { type ObjectFormat, type ObjectId, zeroId } from "#core/git/format/object-format";
import { History } from "#core/git/history/history";
import type { PackSet } from "#core/git/pack/pack-set";
import type { LoggedChange } from "#core/git/refs/ref-log";
import { branchPrefix } from "#core/git/refs/ref-name";
import { readPushedRefs } from "#core/git/store/refs/pushed-refs";
import { openRepository } from "#core/git/store/store";
import type { Notice } from "#core/hook/announce";
import type { HookTestEvent, PushEvent } from "#core/hook/events";
import type { SubscribableEvent } from "#core/hook/subscriptions";
import { presentRepository } from "../../api/repository/present.ts";
import {
  type ComingCommits,
  commitsOf,
  listedCommits,
  type PushedRef,
  pushedRef,
} from "../pushed-commits.ts";
import { CommitPresenter } from "./commit.ts";
import type { Subject } from "./subject.ts";

/** The most refs of one push that hooks hear of; a mirror of a large repository may bring more. */
const mostRefs = 1_000;

/** The ingredients of one event's payloads. */
interface Making {
  readonly forge: Forge;
  readonly subject: Subject;
  readonly commits: CommitPresenter;
  readonly packs: PackSet;
  readonly format: ObjectFormat;
}

/** Whether any hook would hear of such a notice: unheard ones are not made. */
export type IsWanted = (notice: SubscribableEvent) => Promise<boolean>;

/** The notices of a push for hooks (semantics §27.4), ref by ref. */
export async function* pushNotices(
  forge: Forge,
  event: PushEvent,
  subject: Subject,
  isWanted: IsWanted,
): AsyncIterable<Notice> {
  const making = await startMaking(forge, subject);
  const changes = await readPushedRefs(forge.table, event.repositoryId, event.version);
  const refs = changes.flatMap(pushedRef);
  if (making === undefined) return;
  if (refs.length > mostRefs) forge.log.warn("hooks:push-cut", { refs: refs.length, told: mostRefs });
  for (const [index, ref] of refs.slice(0, mostRefs).entries()) {
    for (const eventType of noticeTypes(ref)) {
      const branch = ref.type === "branch" ? { branch: ref.shortName } : {};
      if (!(await isWanted({ eventType, ...branch }))) continue;
      const payload = await payloadOf(making, eventType, ref);
      const what = `${eventType} ${index}`;
      yield {
        eventType,
        what,
        ...branch,
        ...defined({ isWithoutCommits: payload.isWithoutCommits }),
        payloadFor: (type) => (type === "gitea" ? payload.short : payload.full),
      };
    }
  }
}

/** The push for a test of a hook: one commit, as though it had just been pushed (semantics §27.9). */
export async function* testNotices(
  forge: Forge,
  event: HookTestEvent,
  subject: Subject,
): AsyncIterable<Notice> {
  const making = await startMaking(forge, subject);
  if (making === undefined) return;
  const { ref: name, commitId } = event;
  const [ref] = pushedRef({ name, old: commitId, new: commitId });
  const commit = await new History(making.packs).commit(commitId);
  const payload = await pushPayload(
    making,
    { name, old: commitId, new: commitId },
    { listed: [commit], total: 1 },
  );
  const branch = ref?.type === "branch" ? { branch: ref.shortName } : {};
  yield { eventType: "push", what: "test", ...branch, payloadFor: () => payload };
}

async function startMaking(forge: Forge, subject: Subject): Promise<Making | undefined> {
  const opened = await openRepository(forge, subject.details.repository.id);
  if (opened === undefined) return undefined;
  const packs = await opened.packs();
  return { forge, subject, packs, format: packs.format, commits: new CommitPresenter(forge, subject) };
}

/** In the order in which hooks hear of them. A deleted branch is no push; a deleted tag is. */
function noticeTypes(ref: PushedRef): ("create" | "push" | "delete")[] {
  if (ref.old === undefined) return ref.type === "branch" ? ["create", "push"] : ["push", "create"];
  if (ref.new !== undefined) return ["push"];
  return ref.type === "branch" ? ["delete"] : ["push", "delete"];
}

/** `short` differs when the family keeps a short ref name for hooks of the type gitea: in create and delete. */
async function payloadOf(
  making: Making,
  eventType: "create" | "push" | "delete",
  ref: PushedRef,
): Promise<{ full: object; short: object; isWithoutCommits?: boolean }> {
  if (eventType === "push") {
    const commits = await commitsOf(making.packs, ref);
    const payload = await pushPayload(making, ref, commits);
    return { full: payload, short: payload, isWithoutCommits: commits.total === 0 };
  }
  const { sender, view, details } = making.subject;
  const common = { ref_type: ref.type, repository: presentRepository(view, details), sender };
  const rest = eventType === "create" ? { sha: ref.new, ...common } : { pusher_type: "user", ...common };
  return { full: { ref: ref.name, ...rest }, short: { ref: ref.shortName, ...rest } };
}

async function pushPayload(
  making: Making,
  change: LoggedChange,
  { listed, total }: ComingCommits,
): Promise<object> {
  const { format, subject, commits, packs } = making;
  const history = new History(packs, { allowsCuts: true });
  const shown: object[] = [];
  for (const commit of listed.slice(0, listedCommits)) shown.push(await commits.present(history, commit));
  const { sender, view, details } = subject;
  return {
    ref: change.name,
    before: change.old ?? zeroId(format),
    after: change.new ?? zeroId(format),
    compare_url: compareUrl(making, change, listed),
    commits: shown,
    total_commits: total,
    head_commit: shown[0] ?? null,
    repository: presentRepository(view, details),
    pusher: sender,
    sender,
  };
}

/** Compares with the commit before the push; for a new branch, with the parent of its oldest commit here. */
function compareUrl(
  { commits, subject }: Making,
  change: LoggedChange,
  listed: ComingCommits["listed"],
): string {
  if (change.new === undefined) return "";
  const { defaultBranch } = subject.details.repository;
  const base: ObjectId | undefined = change.old ?? listed.at(-1)?.commit.parents[0];
  if (base !== undefined) return commits.compareLink(base, change.new);
  return change.name === `${branchPrefix}${defaultBranch}`
    ? ""
    : commits.compareLink(defaultBranch, change.new);
}
