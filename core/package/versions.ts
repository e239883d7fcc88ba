import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import {
  type Package,
  type PackageReadme,
  type PackageVersion,
  readmePrefix,
  versionPrefix,
  versionsPartition,
} from "./package.table.ts";

/** All versions of a package in the order of their names, in pages of what one request reads. */
export async function* versionPages(
  { table }: Pick<Forge, "table">,
  { id }: Package,
): AsyncGenerator<readonly PackageVersion[]> {
  let after: string | undefined;
  do {
    const { items, next } = await table.query<PackageVersion>({
      ...{ pk: versionsPartition(id), prefix: versionPrefix },
      ...defined({ after }),
    });
    yield items;
    after = next;
  } while (after !== undefined);
}

/** The readmes of the newest versions, by number: as many as one request reads, a megabyte. */
export async function newestReadmes(
  { table }: Pick<Forge, "table">,
  { id }: Package,
): Promise<ReadonlyMap<number, string>> {
  const { items } = await table.query<PackageReadme>({
    ...{ pk: versionsPartition(id), prefix: readmePrefix },
    reverse: true,
  });
  return new Map(items.map(({ number, text }) => [number, text]));
}
