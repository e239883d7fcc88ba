interface QueryInput {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Readonly<Record<string, unknown>>;
  readonly ExclusiveStartKey?: { readonly sk: string } | undefined;
  readonly IndexName?: string;
}

/**
 * Refuses runs of keys that DynamoDB refuses and the stand-in takes: with an empty bound, and behind a key outside of
 * them. (Amazon's DynamoDB Local has both; `npm run test:engines`.)
 */
export function requirePossibleRange(operation: string, input: object): void {
  if (operation !== "Query" || "IndexName" in input) return;
  const { ExpressionAttributeValues: values, ExclusiveStartKey: start } = input as QueryInput;
  const { ":prefix": prefix, ":from": from, ":to": to } = values as Record<string, string | undefined>;
  if ([prefix, from, to, start?.sk].includes(""))
    throw refusal("a key attribute cannot contain an empty string");
  if (start === undefined) return;
  const isInside =
    start.sk.startsWith(prefix ?? "") &&
    (from === undefined || !isBefore(start.sk, from)) &&
    (to === undefined || !isBefore(to, start.sk));
  if (!isInside) throw refusal("the starting key does not match the range key predicate");
}

const isBefore = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

const refusal = (message: string) => Object.assign(new Error(message), { name: "ValidationException" });
