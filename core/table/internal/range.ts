import { defined } from "../../defined.ts";
import type { Query } from "../../table.ts";

/** The beginning and end of a run, and the key behind which to continue. */
export type Range = Pick<Query, "prefix" | "from" | "to" | "after">;

/**
 * The same run in a form that DynamoDB accepts: it refuses empty bounds, crossing ones, and continuing behind a key
 * outside of them. Undefined when nothing can lie in it, or behind `after`.
 */
export function possibleRange(asked: Query): Range | undefined {
  const { prefix, from, to, after, reverse } = asked;
  const range: Range = {
    ...given("prefix", prefix),
    ...given("from", from),
    ...defined({ to }),
  };
  if (to === "" || (range.from !== undefined && to !== undefined && compare(range.from, to) > 0))
    return undefined;
  if (after === undefined) return range;
  const place = placeOf(after, range);
  if (place === 0 && after !== "") return { ...range, after };
  // Before the run, in the direction of reading, all of it is still to come; behind it, nothing is.
  const isBefore = reverse === true ? place > 0 : place <= 0;
  return isBefore ? range : undefined;
}

const given = (name: "prefix" | "from", value: string | undefined) =>
  value === undefined || value === "" ? {} : { [name]: value };

/** Below the run, in it, or above it: negative, 0 or positive. */
function placeOf(key: string, { prefix, from, to }: Range): number {
  if (prefix !== undefined) return key.startsWith(prefix) ? 0 : compare(key, prefix);
  if (from !== undefined && compare(key, from) < 0) return -1;
  return to !== undefined && compare(key, to) > 0 ? 1 : 0;
}

/** DynamoDB's order of sort keys: by the bytes of their UTF-8. */
const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
