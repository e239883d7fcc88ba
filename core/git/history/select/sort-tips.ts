import { manySteps, type Pacer } from "../../../concurrency/pacer.ts";
import type { ObjectId } from "../../format/object-format.ts";
import { parseTag } from "../../format/tag.ts";
import type { Place } from "../../pack/pack-set.ts";
import type { ObjectReader } from "../object-reader.ts";

/** The starts of walks, by kind. */
export interface Tips {
  readonly commits: Place[];
  readonly trees: Place[];
  readonly blobs: Place[];
}

/** Tips by kind; tags are handed to `onTag` and followed. Throws MissingObject. */
export async function sortTips(
  reader: ObjectReader,
  ids: Iterable<ObjectId>,
  pacer: Pacer,
  onTag: (place: Place) => void = () => undefined,
): Promise<Tips> {
  const tips: Tips = { commits: [], trees: [], blobs: [] };
  for (const id of ids) {
    if (pacer.isDue()) await pacer.pause();
    let place = reader.place(id);
    while (reader.packs.typeOf(place) === "tag") {
      onTag(place);
      if (pacer.isDue(manySteps)) await pacer.pause();
      const { data } = await reader.read(place);
      place = reader.place(parseTag(data).object);
    }
    const type = reader.packs.typeOf(place);
    if (type === "commit") tips.commits.push(place);
    else if (type === "tree") tips.trees.push(place);
    else tips.blobs.push(place);
  }
  return tips;
}
