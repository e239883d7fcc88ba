import type { IncomingMessage, Server } from "node:http";

/**
 * Hands each body on in as large pieces as it arrives: of a body in chunks of one byte, 64 KB from the network are
 * 11,000 pieces, each of which would cost its reader as much as a large one.
 */
export function mergePieces(server: Server): void {
  server.prependListener("request", (request: IncomingMessage) => {
    if (request.headers["transfer-encoding"] === undefined) return;
    const push = request.push.bind(request);
    let pieces: Buffer[] = [];
    let sizeBytes = 0;
    const handOn = () => {
      if (pieces.length > 0) push(Buffer.concat(pieces));
      [pieces, sizeBytes] = [[], 0];
    };
    request.push = (piece: Buffer | null) => {
      if (piece === null) {
        handOn();
        return push(null);
      }
      if (pieces.push(piece) === 1) setImmediate(handOn); // once the parser is through what arrived
      sizeBytes += piece.length;
      return request.readableLength + sizeBytes < request.readableHighWaterMark;
    };
  });
}
