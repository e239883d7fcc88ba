import { lastId } from "./ids.ts";
import { lazyFor } from "./lazy.ts";
import { absent, equals } from "./table/condition.ts";
import { type Item, put, type TableKey, update } from "./table/write.ts";
import type { Table } from "./table.ts";

/** The format of everything stored. Its next change raises it, and comes with a job (CONTRIBUTING). */
export const dataFormat = 2;
/** The oldest format that the job brings along while the service runs (`core/quota/count-usage.ts`). */
export const oldestFormat = 1;

/** The table's mark of its data's format. */
interface FormatMark extends Item {
  readonly format: number;
  /** Some of it is still of this format: the job is not through. */
  readonly from?: number;
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

/**
 * The same for the service: data of a former format that the job brings along is marked as of this one, and no older
 * program starts on it any more.
 */
export async function raiseDataFormat(table: Table): Promise<number> {
  const format = await readDataFormat(table);
  if (format < oldestFormat || format >= dataFormat) return format;
  await table.write(
    update(formatKey, { set: { format: dataFormat }, setOnce: { from: format } }, equals({ format })),
  );
  return dataFormat;
}

const known = lazyFor((_table: Table) => ({ isPresent: false }));

/** Whether all data is of the present format. No read once this process knows that it is. */
export async function isOfPresentFormat(table: Table): Promise<boolean> {
  const one = known(table);
  if (one.isPresent) return true;
  const mark = await table.get<FormatMark>(formatKey);
  one.isPresent = mark === undefined || (mark.format === dataFormat && mark.from === undefined);
  return one.isPresent;
}

/** All data is of the present format from now on. */
export const finishDataFormat = (table: Table): Promise<boolean> =>
  table.write(update(formatKey, { unset: ["from"] }, equals({ format: dataFormat })));
