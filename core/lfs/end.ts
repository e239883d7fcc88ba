import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import { removePage } from "../lifecycle/remove-page.ts";
import type { TableKey } from "../table/write.ts";
import { forgetSources, shareWithWaitingForks } from "./fork.ts";
import { type LfsObject, lfsHolderKey, lfsObjectsOf, lfsPartition } from "./lfs.table.ts";
import { sweepLfsFilesLater } from "./sweep.ts";

const objectsPerStep = 100;

/** Takes some objects from a repository that is being deleted. Their files go in a day, unless others have them. */
export async function endSomeLfsObjects(forge: Forge, repositoryId: number): Promise<PartStep> {
  const { table } = forge;
  const { items } = await table.query<LfsObject>({ ...lfsObjectsOf(repositoryId), limit: objectsPerStep });
  if (items.length > 0) {
    await shareWithWaitingForks(forge, repositoryId, items);
    const files = items.map(({ oid, uploadId }) => ({ oid, uploadId }));
    await table.write(sweepLfsFilesLater(forge, files));
    await table.removeAll(items.map((object) => lfsHolderKey(object, repositoryId)));
    await table.removeAll(items);
    return { hasFound: true, hasMore: true };
  }
  await forgetSources(forge, repositoryId);
  // Objects that a running upload still adds are left for the next pass.
  const isObject = ({ sk }: TableKey) => sk.startsWith(lfsObjectsOf(repositoryId).prefix);
  return removePage(forge, { pk: lfsPartition(repositoryId) }, isObject);
}
