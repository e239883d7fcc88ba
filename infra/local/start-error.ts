/** The start can't go on. The message says what is wrong and what to do; the operator sees it without a stack. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StartError";
  }
}
