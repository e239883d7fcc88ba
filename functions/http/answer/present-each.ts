import type { Code } from "#core/code/open";
import { giveWay } from "#core/concurrency/give-way";

const many = 1_000;

/** Presents thousands of rows without keeping others waiting; only their JSON is made in one piece after it. */
export async function presentEach<Row, Json>(
  { history }: Pick<Code, "history">,
  rows: readonly Row[],
  present: (row: Row) => Json,
): Promise<Json[]> {
  const presented: Json[] = [];
  for (const row of rows) {
    presented.push(present(row));
    await history.pace();
  }
  if (rows.length > many) await giveWay();
  return presented;
}
