import { lastId } from "./ids.ts";
import { absent } from "./table/condition.ts";
import { type Item, put, type TableKey } from "./table/write.ts";
import type { Table } from "./table.ts";

/** The format of everything stored. Its next change raises it, and comes with a job (CONTRIBUTING). */
export const dataFormat = 1;

/** The table's mark of its data's format. */
interface FormatMark extends Item {
  readonly format: number;
  readonly _v: 1;
}
const formatKey: TableKey = { pk: "SYS", sk: "FORMAT" };

/** Marks a table without data; answers the format of its data, 0 for data from before there were formats. */
export async function readDataFormat(table: Table): Promise<number> {
  const mark = await table.get<FormatMark>(formatKey);
  if (mark !== undefined) return mark.format;
  if ((await lastId(table, "owner")) > 0) return 0;
  await table.write(put({ ...formatKey, format: dataFormat, _v: 1 } satisfies FormatMark, absent));
  return dataFormat;
}
