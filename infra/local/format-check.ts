import { dataFormat, oldestFormat, readDataFormat } from "#core/data-format";
import type { Forge } from "#core/forge";
import { StartError } from "./start-error.ts";

/** Throws a StartError when the data has a format that this version can't read. `place` names where it lies. */
export async function requireFormat({ table }: Pick<Forge, "table">, place: string): Promise<void> {
  const format = await readDataFormat(table);
  if (format >= oldestFormat && format <= dataFormat) return;
  const remedy =
    format > dataFormat
      ? "take the version that wrote it, or a newer one"
      : "start on a new DATA_DIR (or TABLE_NAME) and push the repositories there, or take the version that wrote it";
  const found = format === 0 ? "from before format 1" : `in format ${format}`;
  throw new StartError(
    `The data in ${place} is ${found}, and this version reads format ${oldestFormat} to ${dataFormat}: ${remedy}.`,
  );
}
