/** An answer with headers or a status of its own. */
export class Reply<T> {
  readonly value: T;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(value: T, options: { status?: number; headers?: Record<string, string> } = {}) {
    this.value = value;
    this.status = options.status;
    this.headers = options.headers ?? {};
  }
}

/** The negative answer to a yes-or-no question: 404 without a body (D-CHECK). */
export const no: Reply<never> = new Reply(undefined as never, { status: 404 });
