import { isValidRefName, maxRefNameBytes } from "../../git/format/check-ref-name.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { branchPrefix, isTextName } from "../../git/refs/ref-name.ts";
import type { RefTable } from "../../git/refs/ref-table.ts";
import { findPushFlag, findPushOption, findPushText } from "../../repository/push-option.ts";

const requestPrefix = "refs/for/";

/** Whether a push to this ref asks for a pull request. */
export const isRequestRef = (name: string): boolean => name.startsWith(requestPrefix);

/** What a push to `refs/for/<branch>/<topic>` asks for. */
export interface AskedRequest {
  readonly base: string;
  readonly baseId: ObjectId;
  readonly topic: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** Commits may be taken away. */
  readonly mayForce: boolean;
}

/**
 * Reads the ref and the options of a push: the base is the longest branch that the name begins with, the rest is the
 * topic, else the option `topic` is. A text says what is wrong.
 */
export function readRequestRef(
  name: string,
  refs: RefTable,
  options: readonly string[],
): AskedRequest | string {
  const asked = name.slice(requestPrefix.length);
  if (!isTextName(asked)) return "the name of a pull request's base and topic must be UTF-8";
  const base = longestBranch(asked, refs);
  if (base === undefined) return `there is no branch here to which ${requestPrefix}${asked} leads`;
  const topic = asked.slice(base.name.length + 1) || (findPushOption(options, "topic") ?? "");
  const usage = `push to ${requestPrefix}${base.name}/<topic>, or with -o topic=<topic>`;
  if (topic === "") return `a topic is missing: ${usage}`;
  const isName = Buffer.byteLength(topic) <= maxRefNameBytes && isValidRefName(`topic/${topic}`);
  if (!isName) return `the topic is no name of a ref: ${usage}`;
  return {
    base: base.name,
    baseId: base.id,
    topic,
    title: findPushText(options, "title"),
    description: findPushText(options, "description"),
    mayForce: findPushFlag(options, "force-push") ?? false,
  };
}

function longestBranch(
  asked: string,
  refs: RefTable,
): { readonly name: string; readonly id: ObjectId } | undefined {
  for (let end = asked.length; end > 0; end = asked.lastIndexOf("/", end - 1)) {
    const name = asked.slice(0, end);
    const entry = refs.find(branchPrefix + name);
    if (entry !== undefined) return { name, id: entry.id };
  }
  return undefined;
}
