import { lineOf, type PacketReader } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";

const mostOptions = 100;
const mostBytes = 64 * 1024;
/** How many packets are read past the bounds, so that the refusal can be reported. */
const mostPackets = 10_000;

/** The options of a push, or why they are too many. */
export type PushOptions = { readonly options: readonly string[] } | { readonly problem: string };

/**
 * Reads the lines of `git push -o` between the commands and the pack, up to their flush packet. Throws ProtocolError
 * when they have no end.
 */
export async function readPushOptions(reader: PacketReader): Promise<PushOptions> {
  const options: string[] = [];
  let bytes = 0;
  for (let count = 0; ; count++) {
    const packet = await reader.read();
    if (packet?.kind === "flush") break;
    if (packet?.kind !== "data" || count === mostPackets) {
      throw new ProtocolError("the push has no end of its options");
    }
    bytes += packet.payload.length;
    if (options.length <= mostOptions && bytes <= mostBytes) {
      options.push(Buffer.from(lineOf(packet.payload), "latin1").toString());
    }
  }
  if (options.length > mostOptions) return { problem: `more than ${mostOptions} push options` };
  if (bytes > mostBytes) return { problem: `push options of more than ${mostBytes} bytes` };
  return { options };
}
