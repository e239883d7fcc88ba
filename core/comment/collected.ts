import type { PageRequest } from "../page.ts";
import type { TimelineEntry } from "./comment.table.ts";

/** A list without pages ends here: the bytes of its texts, and of what is shown beside each entry and file. */
const mostListBytes = 4 * 2 ** 20;
const bytesBeside = 1_000;
const bytesPerFile = 500;

/** Last updated in these seconds, both ends included. */
export interface UpdatedWithin {
  readonly since?: number;
  readonly before?: number;
}

/** Entries in the order of their creation, and the number of all that match. */
export interface EntryListing<T> {
  readonly items: readonly T[];
  readonly total: number;
  /** Where to go on when the list was cut because of its size (D-BIGBODY). */
  readonly next?: PageRequest;
}

/** The rows of one answer, as they come. It keeps nothing else. */
export class Collected<T extends TimelineEntry> {
  readonly #asked: PageRequest | undefined;
  readonly #isWhole: boolean;
  readonly #items: T[] = [];
  #matching = 0;
  #bytes = 0;

  /** `isWhole`: every entry matches, so that their number is known without further reading. */
  constructor(asked: PageRequest | undefined, isWhole: boolean) {
    this.#asked = asked;
    this.#isWhole = isWhole;
  }

  get #isCut(): boolean {
    return this.#asked === undefined && this.#bytes > mostListBytes;
  }

  get #isFull(): boolean {
    return this.#isCut || this.#items.length === this.#asked?.limit;
  }

  /** Whether reading on would change nothing. */
  get isComplete(): boolean {
    return this.#isWhole && this.#isFull;
  }

  add(entry: T): void {
    const { page, limit } = this.#asked ?? { page: 1, limit: 0 };
    this.#matching += 1;
    if (this.#isFull || this.#matching <= (page - 1) * limit) return;
    const files = entry.attachmentIds?.length ?? 0;
    this.#bytes += Buffer.byteLength(entry.body) + bytesBeside + files * bytesPerFile;
    this.#items.push(entry);
  }

  /** `all`: the number of entries, when every one matches. */
  listing(all: number, mostPerPage: number): EntryListing<T> {
    const items = this.#items;
    const total = this.#isWhole ? all : this.#matching;
    if (!this.#isCut || items.length >= total) return { items, total };
    const limit = Math.min(items.length, mostPerPage);
    const pages = Math.floor(items.length / limit);
    return { items: items.slice(0, pages * limit), total, next: { page: pages + 1, limit } };
  }
}

export const isUpdatedWithin = (
  { updatedAt }: { updatedAt: number },
  { since = 0, before }: UpdatedWithin,
): boolean => updatedAt >= since && (before === undefined || updatedAt <= before);
