/** The other side broke the protocol or asked for something that is not offered. `message` is for its user. */
export class ProtocolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProtocolError";
  }
}
