import type { Item, TableKey } from "#core/table/write";

type Image = Item & { readonly a: string; readonly as: string };
interface IndexOutput {
  Items?: Item[];
  LastEvaluatedKey?: object;
}

/** The index `actor` as a copy that lags: changes younger than the lag are not in it yet. */
export interface LaggingIndex {
  /** An item was written whole (undefined: removed). */
  wrote(key: TableKey, item: Partial<Image> | undefined): void;
  /** An index query's true answer in, what the copy would have said out. */
  query(actor: string, output: IndexOutput): IndexOutput;
  /** Lets the copy catch up. */
  settle(): void;
}

/** A copy that lags by `lagMs` of real time (Infinity: until `settle`). */
export function createLaggingIndex(lagMs: number): LaggingIndex {
  const current = new Map<string, Image>();
  let recent: { key: string; former: Image | undefined; at: number }[] = [];

  return {
    wrote({ pk, sk }, item) {
      const key = `${pk}\0${sk}`;
      const former = current.get(key);
      const image =
        item?.a === undefined || item.as === undefined ? undefined : { pk, sk, a: item.a, as: item.as };
      if (former === undefined && image === undefined) return;
      if (image === undefined) current.delete(key);
      else current.set(key, image);
      recent.push({ key, former, at: performance.now() });
    },
    query(actor, output) {
      recent = recent.filter((change) => performance.now() - change.at < lagMs);
      const items = new Map((output.Items ?? []).map((one) => [`${one.pk}\0${one.sk}`, one as Image]));
      const isLastPage = output.LastEvaluatedKey === undefined;
      for (const { key, former } of recent.toReversed()) {
        if (former?.a !== actor) items.delete(key);
        else if (isLastPage || items.has(key)) items.set(key, former);
      }
      return { ...output, Items: [...items.values()] };
    },
    settle() {
      recent = [];
    },
  };
}
