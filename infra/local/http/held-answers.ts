import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { callerOf } from "#core/caller/caller";
import type { FairShare, Share } from "#core/capacity/fair-share";
import type { Intake } from "#core/capacity/intake";
import type { Config } from "#core/config";
import { clientAddressOf } from "#functions/http/client-address";

/** The counter, how much of an answer may wait for its client without asking, and the answer's caller. */
export interface AnswerBounds {
  readonly memory: FairShare;
  /** As much as a connection takes anyhow: it is too much only when a caller's own share is used up. */
  readonly smallBytes: number;
  /** The bytes counted for an answer while it was made. */
  readonly reserved: Intake["reserved"];
  callerOf(request: IncomingMessage): string;
}

/** Answers count beside the bodies of their caller, by network: the user of a connection may change. */
export const answerBounds = ({ memory, smallBytes, reserved }: Intake, config: Config): AnswerBounds => ({
  memory,
  reserved,
  smallBytes: 2 * smallBytes,
  callerOf(incoming) {
    const forwarded = incoming.headers["x-forwarded-for"];
    const headers = new Headers(forwarded === undefined ? {} : { "x-forwarded-for": String(forwarded) });
    return callerOf(undefined, clientAddressOf({ incoming }, headers, config));
  },
});

/**
 * Counts the bytes of answers that wait for their clients in this process. When they find no room, clients that have
 * not taken theirs for long are disconnected, and at last the one that asks for more.
 */
export function boundAnswers(server: Server, bounds: AnswerBounds): void {
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const held = new HeldAnswer(request, response, bounds);
    for (const name of ["write", "end"] as const) {
      const send = response[name].bind(response) as (...given: unknown[]) => unknown;
      response[name] = ((...given: unknown[]) => {
        const sent = send(...given);
        held.look();
        return sent;
      }) as never;
    }
  });
}

/** Smaller changes aren't counted: Node goes through all that waits to tell how much a client has taken. */
const leastChange = 16 * 1024;

/** The waiting part of one answer. */
class HeldAnswer {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #bounds: AnswerBounds;
  #share: Share | undefined;
  #taken = 0;

  constructor(request: IncomingMessage, response: ServerResponse, bounds: AnswerBounds) {
    this.#request = request;
    this.#response = response;
    this.#bounds = bounds;
  }

  /** Counts the waiting bytes now. Nearly always there are none: the system took all of them. */
  look(): void {
    const { socket } = this.#request;
    if (socket.destroyed) return;
    const waiting = this.#response.writableLength;
    if (waiting === 0 && this.#share === undefined && !this.#bounds.reserved.has(this.#response)) return;
    this.#share ??= this.#begin();
    const share = this.#share;
    if (waiting > 0 && share.amount > 0 && Math.abs(waiting - share.amount) < leastChange) return;
    share.noteProgress(socket.bytesWritten - this.#taken);
    this.#taken = socket.bytesWritten;
    const more = waiting - share.amount;
    if (more <= 0) share.add(more);
    else if (!this.#mayWait(share, more, waiting)) socket.destroy();
  }

  #begin(): Share {
    const { memory, reserved, callerOf } = this.#bounds;
    const share = reserved.get(this.#response) ?? memory.open(callerOf(this.#request));
    const { socket } = this.#request;
    const look = () => this.look();
    share.onNeeded(() => socket.destroy());
    socket.on("drain", look);
    this.#response.once("close", () => {
      socket.off("drain", look);
      share.release();
    });
    return share;
  }

  #mayWait(share: Share, more: number, waiting: number): boolean {
    const shortage = share.grow(more);
    const isLet = shortage === "others" && waiting <= this.#bounds.smallBytes;
    if (isLet) share.add(more);
    return shortage === undefined || isLet;
  }
}
