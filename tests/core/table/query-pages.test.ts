import { expect, it } from "vitest";
import type { Query, Table } from "#core/table";
import { queryPages } from "#core/table/query-pages";

/** A table whose answers hold so many items at most, whatever their limit; and the limits that were asked for. */
function cutting(count: number, mostInAnswer: number) {
  const limits: (number | undefined)[] = [];
  const query = async ({ after, limit }: Query) => {
    limits.push(limit);
    const first = after === undefined ? 0 : Number(after);
    const end = Math.min(count, first + Math.min(mostInAnswer, limit ?? count));
    const items = Array.from({ length: end - first }, (_, at) => ({ pk: "p", sk: String(first + at) }));
    return { items, ...(end < count && { next: String(end) }) };
  };
  return { table: { query } as unknown as Pick<Table, "query">, limits };
}

async function read(table: Pick<Table, "query">, asked: Partial<Query>, first?: number): Promise<number> {
  let count = 0;
  for await (const page of queryPages(table, { pk: "p", ...asked }, first)) count += page.length;
  return count;
}

it("queryPages asks for all at once, and after an answer that was cut for about as many as it held", async () => {
  const { table, limits } = cutting(20, 6);
  expect(await read(table, {})).toBe(20);
  expect(limits).toEqual([undefined, 12, 12, 12]);
});

it("queryPages asks for more and more where items are small, and for no more than is left", async () => {
  const small = cutting(1_000, 500);
  expect(await read(small.table, {}, 100)).toBe(1_000);
  expect(small.limits).toEqual([100, 200, 400, 800]);
  const bounded = cutting(1_000, 6);
  expect(await read(bounded.table, { limit: 15 }, 100)).toBe(15);
  expect(bounded.limits).toEqual([15, 9, 3]);
});
