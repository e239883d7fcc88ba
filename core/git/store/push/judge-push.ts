import { defined } from "../../../defined.ts";
import {
  checkFolders,
  checkOldValue,
  isNothing,
  type LandedAs,
  type RefChange,
  type RefResult,
  type Ruling,
  type Verdict,
} from "../../refs/check-changes.ts";
import type { LoggedChange } from "../../refs/ref-log.ts";
import type { RefSnapshot } from "../refs/snapshot.ts";
import type { TipDescriptions } from "./describe-tips.ts";
import type { PushedObjects, PushRequest } from "./push.ts";

/** The part of a push that lands on a snapshot: the facts to log, and each ref's fate. */
export interface JudgedPush {
  readonly landing: readonly LoggedChange[];
  readonly results: readonly RefResult[];
}

/**
 * Checks each ref of a push: its name, its old value, its object, the caller's rules, its place among the other names.
 * A refused ref leaves the others alone, unless the push is atomic (D-REFUSE). The rules may let another ref land in
 * its place.
 */
export async function judgePush(
  before: RefSnapshot,
  request: PushRequest,
  names: readonly Verdict[],
  tips: TipDescriptions,
): Promise<JudgedPush> {
  const { changes, isAtomic, judge } = request;
  const verdicts = changes.map((change, index) => names[index] ?? checkOldValue(before.refs, change));
  const others = new Map<number, LandedAs>();
  const changeAt = (index: number) => others.get(index)?.change ?? (changes[index] as RefChange);
  const ask = async (question: (open: RefChange[]) => Promise<readonly Ruling[]>) => {
    const open = [...verdicts.keys()].filter((index) => verdicts[index] === undefined);
    if (open.length === 0) return;
    const answers = await question(open.map(changeAt));
    for (const [at, index] of open.entries()) {
      const answer = answers[at];
      if (typeof answer === "object") others.set(index, answer);
      else verdicts[index] = answer;
    }
  };
  await ask((open) => tips.check(open, before.refs));
  await ask(
    async (open) => (await judge?.(before, open, request.pushOptions ?? [], objectsOf(before, tips))) ?? [],
  );
  await ask(async (open) => {
    const refusals = checkFolders(before.refs, open.map(updateTo));
    return open.map(({ name }) => refusals.get(name));
  });
  if (isAtomic && verdicts.some((verdict) => verdict !== undefined)) {
    for (const index of verdicts.keys()) verdicts[index] ??= "another ref of this atomic push was refused";
  }
  return {
    landing: await described(
      [...changes.keys()]
        .filter((index) => verdicts[index] === undefined)
        .map(changeAt)
        .filter((change) => !isNothing(change)),
      before,
      tips,
    ),
    results: changes.map(({ name }, index) => resultOf(name, verdicts[index], others.get(index))),
  };
}

const objectsOf = ({ root }: RefSnapshot, tips: TipDescriptions): PushedObjects => ({
  format: root.objectFormat,
  read: (id) => tips.read(id),
});

const updateTo = ({ name, new: id }: RefChange) => ({
  name,
  entry: id === undefined ? undefined : { name, id, pusherId: 0, updatedMs: 0 },
});

const resultOf = (name: string, refusal: Verdict, as: LandedAs | undefined): RefResult =>
  refusal === undefined ? { name, ...defined({ as }) } : { name, refusal };

async function described(
  changes: readonly RefChange[],
  before: RefSnapshot,
  tips: TipDescriptions,
): Promise<LoggedChange[]> {
  const logged: LoggedChange[] = [];
  for (const change of changes) {
    const description = await tips.of(change, before.refs);
    if (!("refusal" in description)) logged.push({ ...change, ...description });
  }
  return logged;
}
