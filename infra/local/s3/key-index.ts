/** What a list shows of an object. */
export interface ListedObject {
  key: string;
  sizeBytes: number;
  etag: string;
  modified: number;
}

/** UTF-8 bytes as a string of one character each, so that comparing strings compares bytes, which is S3's order. */
const bytesOf = (key: string) => Buffer.from(key).toString("latin1");

/**
 * All keys in order, in memory. `load` fills it on first use; it follows puts and removals from the start, so that puts
 * and gets never wait for it.
 */
export class KeyIndex {
  readonly #load: () => AsyncIterable<ListedObject>;
  readonly #objects = new Map<string, ListedObject>();
  /** Keys stored or removed while loading; their files may say something older. */
  readonly #changed = new Set<string>();
  #order: string[] = [];
  #isLoaded = false;
  #loading: Promise<void> | undefined;

  constructor(load: () => AsyncIterable<ListedObject>) {
    this.#load = load;
  }

  store(object: ListedObject): void {
    const bytes = bytesOf(object.key);
    if (!this.#isLoaded) this.#changed.add(bytes);
    else if (!this.#objects.has(bytes)) this.#order.splice(this.#position(bytes), 0, bytes);
    this.#objects.set(bytes, object);
  }

  remove(key: string): void {
    const bytes = bytesOf(key);
    if (!this.#isLoaded) this.#changed.add(bytes);
    else if (this.#objects.has(bytes)) this.#order.splice(this.#position(bytes), 1);
    this.#objects.delete(bytes);
  }

  /** Up to `limit` objects whose keys start with `prefix` and come after `after`, and whether there are more. */
  async list(
    prefix: string,
    after: string,
    limit: number,
  ): Promise<{ objects: ListedObject[]; hasMore: boolean }> {
    this.#loading ??= this.#fill();
    await this.#loading;
    const start = bytesOf(prefix);
    const last = bytesOf(after);
    const follower = this.#position(last);
    let at = Math.max(this.#position(start), this.#order[follower] === last ? follower + 1 : follower);
    const objects: ListedObject[] = [];
    for (; this.#order[at]?.startsWith(start); at++) {
      if (objects.length === limit) return { objects, hasMore: true };
      const object = this.#objects.get(this.#order[at] ?? "");
      if (object) objects.push(object);
    }
    return { objects, hasMore: false };
  }

  async #fill(): Promise<void> {
    for await (const object of this.#load()) {
      const bytes = bytesOf(object.key);
      if (!this.#changed.has(bytes)) this.#objects.set(bytes, object);
    }
    this.#order = [...this.#objects.keys()].sort();
    this.#isLoaded = true;
    this.#changed.clear();
  }

  /** The place of `bytes`, present or not. */
  #position(bytes: string): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#order[middle] ?? "") < bytes) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
