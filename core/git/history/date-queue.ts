interface Entry<T> {
  readonly seconds: number;
  readonly order: number;
  readonly value: T;
}

/** A queue that returns the newest first: a binary heap by date, in order of arrival among equals. */
export class DateQueue<T> {
  readonly #heap: Entry<T>[] = [];
  #arrivals = 0;

  get size(): number {
    return this.#heap.length;
  }

  push(seconds: number, value: T): void {
    const heap = this.#heap;
    let at = heap.length;
    const entry = { seconds, order: this.#arrivals++, value };
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** The newest; undefined when the queue is empty. */
  pop(): T | undefined {
    const heap = this.#heap;
    const [top] = heap;
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top?.value;
    heap[0] = last;
    for (let at = 0; ; ) {
      let best = at;
      for (const child of [at * 2 + 1, at * 2 + 2]) {
        if (child < heap.length && this.#isBefore(child, best)) best = child;
      }
      if (best === at) return top.value;
      this.#swap(at, best);
      at = best;
    }
  }

  /** Date of the newest; undefined when the queue is empty. */
  get newest(): number | undefined {
    return this.#heap[0]?.seconds;
  }

  #isBefore(left: number, right: number): boolean {
    const a = this.#heap[left] as Entry<T>;
    const b = this.#heap[right] as Entry<T>;
    return a.seconds === b.seconds ? a.order < b.order : a.seconds > b.seconds;
  }

  #swap(left: number, right: number): void {
    const kept = this.#heap[left] as Entry<T>;
    this.#heap[left] = this.#heap[right] as Entry<T>;
    this.#heap[right] = kept;
  }
}
