import { reachesAll } from "../git/history/find-unreached.ts";
import type { RefChange, Ruling } from "../git/refs/check-changes.ts";
import { tagPrefix } from "../git/refs/ref-name.ts";
import type { PushedObjects, PushRequest } from "../git/store/push/push.ts";

type Judge = NonNullable<PushRequest["judge"]>;

/** A move over more commits is not looked into. */
const mostCommits = 1_000_000;

/**
 * The same judgement, without moves that git pushes only when forced: a bundle can't tell which of them are meant. Looks
 * at histories for at most so long.
 */
export const fastForwardOnly =
  (judge: Judge, mostMs: number): Judge =>
  async (snapshot, changes, options, objects) => {
    const rulings = await judge(snapshot, changes, options, objects);
    const deadline = performance.now() + mostMs;
    const judged: Ruling[] = [];
    for (const [at, change] of changes.entries()) {
      judged.push(rulings[at] ?? (await backward(change, objects, deadline)));
    }
    return judged;
  };

/** Why a ref may not move without force; undefined when it may. */
async function backward(
  { name, old, new: id }: RefChange,
  objects: PushedObjects,
  deadline: number,
): Promise<string | undefined> {
  if (old === undefined || id === undefined) return undefined;
  if (name.startsWith(tagPrefix)) return "the tag is here already, and names something else";
  if (performance.now() > deadline)
    return "there was no time to find out whether it only adds commits; push it";
  const reached = await reachesAll(objects.read, [id], [old], mostCommits);
  if (reached === "all") return undefined;
  return reached === "not-all"
    ? "not a fast-forward: it would take commits away; fetch first, or force a push"
    : "it moves over too many commits to find out whether it only adds some; push it";
}
