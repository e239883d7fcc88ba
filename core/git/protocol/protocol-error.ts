/** The other side broke the protocol or asked for what is not offered. `message` is shown to its user. */
export class ProtocolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProtocolError";
  }
}
