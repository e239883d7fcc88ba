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
const ongoing = "Transaction is ongoing for the item";

/** Nothing in flight yet. */
export const createInFlight = (): InFlight => new ItemsInFlight();

class ItemsInFlight implements InFlight {
  readonly #held = new Set<string>();
  readonly #written = new Map<string, number>();
  readonly #tokens = new Set<string>();

  transaction(keys: readonly string[], token: string | undefined): () => void {
    if (token !== undefined && this.#tokens.has(token)) {
      const name = "TransactionInProgressException";
      throw Object.assign(new Error("a transaction with this token is in progress"), { name, ...metadata });
    }
    if (keys.some((key) => this.#isBusy(key))) throw this.#cancellation(keys);
    for (const key of keys) this.#held.add(key);
    if (token !== undefined) this.#tokens.add(token);
    return () => {
      for (const key of keys) this.#held.delete(key);
      if (token !== undefined) this.#tokens.delete(token);
    };
  }

  write(key: string): () => void {
    if (this.#held.has(key)) throw new TransactionConflictException({ ...metadata, message: ongoing });
    this.#written.set(key, (this.#written.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#written.get(key) ?? 1) - 1;
      if (left === 0) this.#written.delete(key);
      else this.#written.set(key, left);
    };
  }

  isHeld(key: string): boolean {
    return this.#held.has(key);
  }

  #isBusy(key: string): boolean {
    return this.#held.has(key) || this.#written.has(key);
  }

  #cancellation(keys: readonly string[]): TransactionCanceledException {
    const CancellationReasons = keys.map((key) =>
      this.#isBusy(key) ? { Code: "TransactionConflict", Message: ongoing } : { Code: "None" },
    );
    const codes = CancellationReasons.map((reason) => reason.Code).join(", ");
    const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
    return new TransactionCanceledException({ ...metadata, message, CancellationReasons });
  }
}
