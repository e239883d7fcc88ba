import type { Socket } from "node:net";
import { giveWay } from "#core/concurrency/give-way";

/** Node's own objects for a request. */
export interface NodeBindings {
  readonly incoming: { readonly socket: Socket };
  readonly outgoing: { once(event: "close", listener: () => void): unknown };
}

/** How many requests of a connection may wait for the answers before theirs. */
const mostWaiting = 16;

/**
 * Answers the requests of one connection one after the other, each in a turn of the loop of its own: 64 KB hold 1,400 of
 * them, and Node hands them all over at once. A connection that sends too many ahead is closed.
 */
export function oneAfterAnother(
  answer: (request: Request, bindings: NodeBindings) => Response | Promise<Response>,
): typeof answer {
  const underWay = new WeakMap<Socket, Promise<void>[]>();
  return (request, bindings) => {
    const { socket } = bindings.incoming;
    const before = underWay.get(socket) ?? [];
    if (before.length > mostWaiting) socket.destroy();
    if (socket.destroyed) return unread();
    const over = new Promise<void>((resolve) => void bindings.outgoing.once("close", resolve));
    const last = before.at(-1);
    before.push(over);
    underWay.set(socket, before);
    void over.then(() => before.shift());
    return last === undefined
      ? answer(request, bindings)
      : last.then(giveWay).then(() => (socket.destroyed ? unread() : answer(request, bindings)));
  };
}

/** For a client that left: Node never closes answers that were behind another one. */
const unread = () => new Response(null, { status: 503 });
