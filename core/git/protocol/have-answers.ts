import type { ObjectId } from "../format/object-format.ts";
import type { Capabilities } from "./capabilities.ts";
import type { Negotiation } from "./negotiation.ts";
import { dataPacket } from "./pkt-line.ts";

type AckStyle = "detailed" | "plain" | "single";

function ackStyle(capabilities: Capabilities): AckStyle {
  if (capabilities.has("multi_ack_detailed")) return "detailed";
  return capabilities.has("multi_ack") ? "plain" : "single";
}

const ack = (id: ObjectId, word?: string): Buffer =>
  dataPacket(word === undefined ? `ACK ${id}\n` : `ACK ${id} ${word}\n`);
const nak: Buffer = dataPacket("NAK\n");

/** A v0 server's answers to the `have` lines of one request (gitprotocol-pack, "Packfile Negotiation"). */
export class HaveAnswers {
  readonly #negotiation: Negotiation;
  readonly #style: AckStyle;
  readonly #sparesDone: boolean;
  readonly #patienceMs: number;
  #last: ObjectId | undefined;
  #gotCommon = false;
  #gotOther = false;
  #sentReady = false;

  /** `patienceMs`: an answer that takes longer to find is "not yet". */
  constructor(negotiation: Negotiation, capabilities: Capabilities, patienceMs = Number.POSITIVE_INFINITY) {
    this.#negotiation = negotiation;
    this.#patienceMs = patienceMs;
    this.#style = ackStyle(capabilities);
    this.#sparesDone = capabilities.has("no-done");
  }

  /** The answer to one object that the client has. */
  async have(id: ObjectId): Promise<Buffer[]> {
    if (!(await this.#negotiation.offer(id, this.#patienceMs))) return this.#haveOther(id);
    const isFirst = this.#last === undefined;
    this.#gotCommon = true;
    this.#last = id;
    if (this.#style === "detailed") return [ack(id, "common")];
    if (this.#style === "plain") return [ack(id, "continue")];
    return isFirst ? [ack(id)] : [];
  }

  /** An object that only the client has: once enough is common, the answer tells it to stop on this line of history. */
  async #haveOther(id: ObjectId): Promise<Buffer[]> {
    this.#gotOther = true;
    if (this.#style === "single" || !(await this.#negotiation.isReady(this.#patienceMs))) return [];
    if (this.#style === "plain") return [ack(id, "continue")];
    this.#sentReady = true;
    return [ack(id, "ready")];
  }

  /** The answer to a flush packet, and whether the pack follows at once. */
  async flush(): Promise<{ packets: Buffer[]; isDone: boolean }> {
    const packets: Buffer[] = [];
    const last = this.#last;
    const isWholeBatch = this.#style === "detailed" && this.#gotCommon && !this.#gotOther;
    if (isWholeBatch && last !== undefined && (await this.#negotiation.isReady(this.#patienceMs))) {
      this.#sentReady = true;
      packets.push(ack(last, "ready"));
    }
    if (last === undefined || this.#style !== "single") packets.push(nak);
    this.#gotCommon = false;
    this.#gotOther = false;
    if (!this.#sparesDone || !this.#sentReady || last === undefined) return { packets, isDone: false };
    return { packets: [...packets, ack(last)], isDone: true };
  }

  /** The answer to `done`, after which the pack follows. */
  done(): Buffer[] {
    if (this.#last === undefined) return [nak];
    return this.#style === "single" ? [] : [ack(this.#last)];
  }
}
