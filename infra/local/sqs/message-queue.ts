/** A stored message. Times are milliseconds since the epoch. */
export interface Message {
  id: string;
  queue: string;
  body: string;
  sentAt: number;
  /** Not to be received before; for delays. */
  visibleFrom: number;
  receiveCount: number;
  firstReceivedAt?: number;
}

/** How many messages can be received, are in work, and are delayed. */
export interface QueueCounts {
  visible: number;
  inFlight: number;
  delayed: number;
}

interface Hidden {
  message: Message;
  isInFlight: boolean;
  timer: NodeJS.Timeout;
}

/** The messages of one queue in memory: which of them can be received now, and which later. */
export class MessageQueue {
  readonly #visible = new Map<string, Message>();
  readonly #hidden = new Map<string, Hidden>();
  readonly #pollers = new Set<() => void>();
  #isClosed = false;

  /** Takes a message in: visible now, or when its delay is over. */
  add(message: Message): void {
    const delayMs = message.visibleFrom - Date.now();
    if (delayMs > 0) this.#hide(message, delayMs, false);
    else this.#show(message);
  }

  remove(id: string): void {
    this.#visible.delete(id);
    this.#unhide(id);
  }

  /** Takes the next visible message and hides it; undefined when there is none. */
  claim(visibilityMs: number): Message | undefined {
    const [message] = this.#visible.values();
    if (message === undefined) return undefined;
    this.#visible.delete(message.id);
    this.#hide(message, visibilityMs, true);
    return message;
  }

  isInFlight(id: string): boolean {
    return this.#hidden.get(id)?.isInFlight ?? false;
  }

  /** Hides a message in work for that much longer from now on; 0 shows it at once. */
  extend(id: string, visibilityMs: number): void {
    const hidden = this.#hidden.get(id);
    if (hidden === undefined) return;
    this.#unhide(id);
    if (visibilityMs > 0) this.#hide(hidden.message, visibilityMs, true);
    else this.#show(hidden.message);
  }

  /** Resolves when a message can be received, `timeoutMs` have passed, the signal aborts, or the queue closes. */
  async waitForVisible(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (this.#visible.size > 0 || this.#isClosed || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", finish);
        this.#pollers.delete(finish);
        resolve();
      };
      const timer = setTimeout(finish, timeoutMs);
      signal.addEventListener("abort", finish);
      this.#pollers.add(finish);
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  counts(): QueueCounts {
    const inFlight = [...this.#hidden.values()].filter((one) => one.isInFlight).length;
    return { visible: this.#visible.size, inFlight, delayed: this.#hidden.size - inFlight };
  }

  /** Ends all waiting. */
  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#hidden.values()) clearTimeout(timer);
    this.#wakePollers();
  }

  #show(message: Message): void {
    this.#visible.set(message.id, message);
    this.#wakePollers();
  }

  #wakePollers(): void {
    for (const wake of [...this.#pollers]) wake();
  }

  #hide(message: Message, forMs: number, isInFlight: boolean): void {
    const timer = setTimeout(() => {
      this.#hidden.delete(message.id);
      this.#show(message);
    }, forMs);
    this.#hidden.set(message.id, { message, isInFlight, timer });
  }

  #unhide(id: string): void {
    clearTimeout(this.#hidden.get(id)?.timer);
    this.#hidden.delete(id);
  }
}
