import type { PacketReader } from "../protocol/pkt-line.ts";
import { band } from "../protocol/side-band.ts";
import { RemoteError, remoteText } from "./remote-failure.ts";

/**
 * The data of a side-band answer as it comes; `first` is a packet that was read already. Messages for people are
 * skipped. Throws RemoteError for a message on the error band, and for an answer without an end.
 */
export async function* sideBandData(reader: PacketReader, first?: Buffer): AsyncGenerator<Buffer> {
  for (let payload = first; ; payload = undefined) {
    if (payload === undefined) {
      const packet = await reader.read();
      if (packet?.kind === "flush" || packet?.kind === "response-end") return;
      if (packet?.kind !== "data") throw new RemoteError("unreachable", "the remote's answer breaks off");
      payload = packet.payload;
    }
    const number = payload[0];
    if (number === band.data) yield payload.subarray(1);
    else if (number === band.error) {
      throw new RemoteError("remote-error", `the remote says: ${remoteText(payload.subarray(1))}`);
    } else if (number !== band.progress) {
      throw new RemoteError("protocol", "the remote's answer is on no known band");
    }
  }
}
