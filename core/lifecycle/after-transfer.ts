import { inTurn } from "../jobs/passes.ts";
import { type MovedRepository, partsInOrder } from "./lifecycle.ts";
import { lifecycles } from "./registry.ts";

/**
 * Cleans up after a transfer what means nothing at the new owner (semantics §24.6). Each part looks where the repository
 * is by then: it may have moved on, or be back.
 */
export const settleTransfer = inTurn<MovedRepository>(
  partsInOrder(lifecycles, ({ moves }) => moves, ["most"]),
);
