import type { PlainAnswer } from "#core/table/internal/messages";
import type { Operation } from "#core/table/wire";

/** Set for an engine that counts fewer units than AWS documents, as Amazon's DynamoDB Local does. */
const countsFewer = process.env.TEST_DYNAMODB_COUNTS === "fewer";

interface BatchOfKeys {
  readonly RequestItems: Readonly<
    Record<string, { readonly Keys: readonly unknown[]; readonly ConsistentRead?: boolean }>
  >;
}

/**
 * The answer with the units that AWS documents, where the tests' engine counts fewer: two for each KB that a transaction
 * writes, and those of a read for each absent key of a batch.
 */
export function withAllUnits(operation: Operation, members: object, answer: PlainAnswer): PlainAnswer {
  if (!countsFewer) return answer;
  const { ConsumedCapacity: consumed = [] } = answer;
  const counted = [consumed].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  const ofTransaction = operation === "TransactWriteItems" ? counted : 0;
  const ofAbsent = operation === "BatchGetItem" ? absentUnits(members as BatchOfKeys, answer) : 0;
  return { ...answer, ConsumedCapacity: { CapacityUnits: counted + ofTransaction + ofAbsent } };
}

function absentUnits({ RequestItems }: BatchOfKeys, { Responses = {}, UnprocessedKeys = {} }: PlainAnswer) {
  return Object.entries(RequestItems).reduce((sum, [table, { Keys, ConsistentRead }]) => {
    const found = Responses[table]?.length ?? 0;
    const left = UnprocessedKeys[table]?.Keys.length ?? 0;
    return sum + (Keys.length - found - left) * (ConsistentRead === true ? 1 : 0.5);
  }, 0);
}
