import type { Holding } from "#core/capacity/intake";
import type { Spooled } from "#core/capacity/spooled";
import type { Config } from "#core/config";
import { badRequest } from "#core/errors";
import { ProtocolError } from "#core/git/protocol/protocol-error";
import type { AnswerTime } from "../answer/answer-time.ts";
import { bodyTooLarge, IncomingBody } from "./incoming-body.ts";

const windowSeconds = 30;
const wholeMs = 10 * 60_000;
const uploadMs = 6 * 3_600_000;

/** How a body is read: where it is counted, how fast it must come, and whose time it does not take. */
export interface BodyRoom {
  readonly holding: Holding;
  readonly config: Config;
  readonly time: AnswerTime;
}

/** The body of one request; nothing of it is read before it is asked for. */
export class RequestBody {
  readonly request: Request;
  readonly #room: BodyRoom;

  constructor(request: Request, room: BodyRoom) {
    this.request = request;
    this.#room = room;
  }

  /** All of it, in memory. TooLarge as soon as it passes the bound, whatever its length header claims. */
  async bytes(mostBytes: number): Promise<Buffer> {
    if (this.request.body === null) return Buffer.alloc(0);
    const { holding, time } = this.#room;
    return time.besides(async () => holding.load(await this.spool(this.incoming(mostBytes, wholeMs))));
  }

  /** All of it, in a file unless it is small. TooLarge as above. */
  file(mostBytes: number): Promise<Spooled> {
    return this.spool(this.incoming(mostBytes, uploadMs));
  }

  /** Spools incoming bytes as a whole: the body, or a file in it. */
  async spool(incoming: Parameters<Holding["spool"]>[0]): Promise<Spooled> {
    try {
      return await this.#room.holding.spool(incoming);
    } catch (error) {
      throw error instanceof ProtocolError ? badRequest(error.message) : error;
    }
  }

  /** The body as it comes. TooLarge as above. */
  incoming(mostBytes: number, totalMs = uploadMs): IncomingBody {
    if (Number(this.request.headers.get("content-length") ?? "0") > mostBytes) throw bodyTooLarge(mostBytes);
    return new IncomingBody(this.request, {
      limitBytes: mostBytes,
      leastBytes: this.#room.config.minBodyRate * windowSeconds,
      windowMs: windowSeconds * 1000,
      totalMs,
    });
  }
}
