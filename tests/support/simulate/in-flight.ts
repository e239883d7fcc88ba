import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";

/** Which items are being written right now: of two writes in flight on one item, one a transaction, the later fails. */
export interface InFlight {
  /** Takes the items for a transaction or throws as AWS does; the answer gives them back. */
  transaction(keys: readonly string[], token: string | undefined): () => void;
  /** Takes one item for a plain write or throws as AWS does; the answer gives it back. */
  write(key: string): () => void;
  /** Whether a transaction holds the item. */
  isHeld(key: string): boolean;
}

const metadata = { $metadata: {} };

/** Nothing in flight yet. */
export function createInFlight(): InFlight {
  const held = new Set<string>();
  const written = new Map<string, number>();
  const tokens = new Set<string>();

  function cancel(keys: readonly string[]): never {
    const CancellationReasons = keys.map((key) =>
      held.has(key) || written.has(key)
        ? { Code: "TransactionConflict", Message: "Transaction is ongoing for the item" }
        : { Code: "None" },
    );
    const codes = CancellationReasons.map((reason) => reason.Code).join(", ");
    const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
    throw new TransactionCanceledException({ ...metadata, message, CancellationReasons });
  }

  return {
    transaction(keys, token) {
      if (token !== undefined && tokens.has(token)) {
        const name = "TransactionInProgressException";
        throw Object.assign(new Error("a transaction with this token is in progress"), { name, ...metadata });
      }
      if (keys.some((key) => held.has(key) || written.has(key))) cancel(keys);
      for (const key of keys) held.add(key);
      if (token !== undefined) tokens.add(token);
      return () => {
        for (const key of keys) held.delete(key);
        if (token !== undefined) tokens.delete(token);
      };
    },
    write(key) {
      if (held.has(key)) {
        throw new TransactionConflictException({
          ...metadata,
          message: "Transaction is ongoing for the item",
        });
      }
      written.set(key, (written.get(key) ?? 0) + 1);
      return () => {
        const left = (written.get(key) ?? 1) - 1;
        if (left === 0) written.delete(key);
        else written.set(key, left);
      };
    },
    isHeld: (key) => held.has(key),
  };
}
