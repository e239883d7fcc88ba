import { giveWay } from "#core/concurrency/give-way";
import { manySteps, mapPaced, Pacer } from "#core/concurrency/pacer";

const many = 1_000;

/** Presents thousands of rows without keeping others waiting; only their JSON is made in one piece after it. */
export async function presentEach<Row, Json>(
  rows: readonly Row[],
  present: (row: Row) => Json,
): Promise<Json[]> {
  const presented = await mapPaced(rows, present, new Pacer(), manySteps);
  if (rows.length >= many) await giveWay();
  return presented;
}
