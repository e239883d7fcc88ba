import { setTimeout as delay } from "node:timers/promises";
import { asStorageFull } from "../../capacity/storage-full.ts";
import { unavailable } from "../../errors.ts";

/** Why a write failed: its condition, a passing reason that a retry may cure, or something else. */
export type WriteFailure = "condition" | "passing" | "other";

const passingNames = new Set([
  "TransactionConflictException",
  "TransactionInProgressException",
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "RequestLimitExceeded",
  "InternalServerError",
  "ServiceUnavailable",
  "TimeoutError",
  "Unprocessed",
]);
const passingReasons = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);
const connectionCodes = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** Sorts the SDK's errors. A cancelled transaction counts by its reasons: a failed condition outranks a conflict. */
export function writeFailure(error: unknown): WriteFailure {
  const { name, code, $metadata, CancellationReasons } = error as {
    name?: string;
    code?: string;
    $metadata?: { httpStatusCode?: number; clockSkewCorrected?: boolean };
    CancellationReasons?: { Code?: string }[];
  };
  if (name === "ConditionalCheckFailedException") return "condition";
  if (name === "TransactionCanceledException") {
    const codes = (CancellationReasons ?? []).map((reason) => reason.Code ?? "None");
    if (codes.includes("ConditionalCheckFailed")) return "condition";
    return codes.some((one) => passingReasons.has(one)) ? "passing" : "other";
  }
  // The SDK has set its clock by that answer.
  if ($metadata?.clockSkewCorrected === true) return "passing";
  if (passingNames.has(name ?? "") || connectionCodes.has(code ?? "")) return "passing";
  return ($metadata?.httpStatusCode ?? 0) >= 500 ? "passing" : "other";
}

const firstDelayMs = 10;
const longestDelayMs = 400;

/**
 * Sends the identical request again, with full jitter, while it fails for a passing reason and time is left; then
 * Unavailable with the last failure as its cause. A full disk ends it at once. `onRetry` is called for each new try.
 */
export async function retryWithJitter<T>(
  budgetMs: number,
  send: () => Promise<T>,
  onRetry: () => void = () => undefined,
): Promise<T> {
  const isOver = timer(budgetMs);
  for (let tries = 0; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const full = asStorageFull(error);
      if (full !== undefined) throw full;
      if (writeFailure(error) !== "passing") throw error;
      const busy = () => unavailable("the table is busy; try again in a moment", { cause: error });
      if (isOver()) throw busy();
      onRetry();
      const ceilingMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(tries, 10));
      await delay(firstDelayMs + Math.random() * ceilingMs);
      // A function may have been frozen in between, and a client token lives for ten minutes.
      if (isOver()) throw busy();
    }
  }
}

/**
 * Says when so much time has passed, by the clock that went further: one may be set back, the other may stand still.
 */
function timer(budgetMs: number): () => boolean {
  const [wall, steady] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - wall, performance.now() - steady) >= budgetMs;
}
