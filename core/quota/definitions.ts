import { attempts } from "../concurrency/attempts.ts";
import { conflict, type ForgeError, invalid, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { absent, equals } from "../table/condition.ts";
import { put, type Write } from "../table/write.ts";
import { titleProblem } from "../text.ts";
import { unlimited } from "./evaluate.ts";
import { type QuotaDefinitions, type QuotaRule, quotaDefinitionsKey } from "./quota.table.ts";
import { isQuotaSubject, quotaSubjects } from "./subject.ts";

/** An item may have 200 KB: some thousand rules. */
const mostBytes = 150_000;

const none: QuotaDefinitions = {
  ...quotaDefinitionsKey,
  ...{ rules: [], groups: [], lastGroupId: 0, v: 0, _v: 1 },
};

/** All rules and groups as they are now. */
export const readDefinitions = async ({ table }: Pick<Forge, "table">): Promise<QuotaDefinitions> =>
  (await table.get<QuotaDefinitions>(quotaDefinitionsKey)) ?? none;

/** The members of the definitions that a change sets, and further writes of its transaction. */
type Changed = Partial<Pick<QuotaDefinitions, "rules" | "groups" | "lastGroupId">> & {
  readonly writes?: readonly Write[];
};

/**
 * Changes rules and groups, and answers what is there then. `change` is called again when somebody else's change came
 * first. 422 when they would be too many, 409 when rivals keep winning.
 */
export async function changeDefinitions(
  forge: Forge,
  change: (current: QuotaDefinitions) => Changed,
): Promise<QuotaDefinitions> {
  for await (const _attempt of attempts()) {
    const current = await readDefinitions(forge);
    const { writes = [], ...changed } = change(current);
    const after: QuotaDefinitions = { ...current, ...changed, v: current.v + 1 };
    if (Buffer.byteLength(JSON.stringify(after)) > mostBytes)
      throw unprocessable("there is no room for more rules and groups: delete some, or shorten their names");
    const isAsRead = current.v === 0 ? absent : equals({ v: current.v });
    if ((await forge.table.transact([put(after, isAsRead), ...writes])).committed) return after;
  }
  throw conflict("rules and groups are being changed by others; try again");
}

/** A rule as callers give it: subjects are still any words. */
export interface GivenRule {
  readonly name: string;
  readonly limit: number;
  readonly subjects: readonly string[];
}

/** The rule that is given; 422 for a name, a limit or a subject that is none. Subjects that are named twice count once. */
export function checkedRule({ name, limit, subjects }: GivenRule): QuotaRule {
  const problem = titleProblem("Name", name) ?? limitProblem(limit);
  if (problem !== undefined) throw problem;
  return { name, limit, subjects: [...new Set(subjects)].map(checkedSubject) };
}

/** The subject of this name; 422 when there is none. */
export function checkedSubject(name: string): (typeof quotaSubjects)[number] {
  if (isQuotaSubject(name)) return name;
  throw invalid("Subject", `there is no subject ${name}; known are ${quotaSubjects.join(", ")}`);
}

function limitProblem(limit: number): ForgeError | undefined {
  if (Number.isSafeInteger(limit) && limit >= unlimited) return undefined;
  return invalid("Limit", `expected bytes, up to ${Number.MAX_SAFE_INTEGER}, or -1 for no limit`);
}
