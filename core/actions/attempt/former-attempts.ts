import { notFound } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { type FormerAttempt, formerAttemptKey, type Run } from "../actions.table.ts";

/** An attempt at a run: the present one, or a former one as it ended; undefined when there was none of this number. */
export const findAttempt = async (
  { table }: Pick<Forge, "table">,
  run: Run,
  attempt: number,
): Promise<Run | undefined> =>
  attempt === run.attempt
    ? run
    : table.get<FormerAttempt>(
        formerAttemptKey(run.repositoryId, run.number, Math.min(Math.max(attempt, 0), 10 ** 9)),
      );

/** The same. NotFound when there was none of this number. */
export async function getAttempt(forge: Pick<Forge, "table">, run: Run, attempt: number): Promise<Run> {
  const found = await findAttempt(forge, run, attempt);
  if (found === undefined) throw notFound(`the run has no attempt ${attempt}`);
  return found;
}
