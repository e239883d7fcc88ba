import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type FormerAttempt, formerAttemptKey, type Run } from "./actions.table.ts";

/** An attempt at a run: the present one, or a former one as it ended. NotFound when there was none of this number. */
export async function getAttempt({ table }: Pick<Forge, "table">, run: Run, attempt: number): Promise<Run> {
  if (attempt === run.attempt) return run;
  const key = formerAttemptKey(run.repositoryId, run.number, Math.min(Math.max(attempt, 0), 10 ** 9));
  const found = await table.get<FormerAttempt>(key);
  if (found === undefined) throw notFound(`the run has no attempt ${attempt}`);
  return found;
}
