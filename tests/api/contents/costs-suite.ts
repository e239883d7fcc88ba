import { expect, it } from "vitest";
import type { Caller, TestApi } from "#tests/support/api";

/** What a call costs warm, as its answer says: requests to the table, reads and writes of the bucket. */
export interface Cost {
  readonly table: number;
  readonly bucket: readonly string[];
}

/** Two repositories of one caller, alike but for the length of their histories, of which each tenth commit is of `a/b/c/d/e`. */
export interface Compared {
  readonly api: TestApi;
  readonly as: Caller;
  readonly short: string;
  readonly long: string;
}

async function costOf(
  { api, as }: Compared,
  method: string,
  path: string,
  body?: () => object,
): Promise<Cost> {
  const call = () => api.call(method, `/repos/${as.name}/${path}`, { as, ...(body && { body: body() }) });
  await call();
  const { status, headers, text } = await call();
  expect([200, 201], text).toContain(status);
  const [table = "", ...bucket] = headers.get("server-timing")?.match(/\d+ (?:requests|reads|writes)/g) ?? [];
  return { table: Number.parseInt(table, 10), bucket };
}

let files = 0;
function someFile(): object {
  files += 1;
  return { files: [{ operation: "create", path: `new/${files}`, content: "eA==" }] };
}

const operations = [
  ["contents of a deep path", "GET", (repo: string) => `${repo}/contents/a/b/c/d/e`, undefined],
  ["a page of 50 commits of a path", "GET", (repo: string) => `${repo}/commits?path=f&limit=50`, undefined],
  ["a tree", "GET", (repo: string) => `${repo}/git/trees/main?recursive=1`, undefined],
  [
    "a comparison of what 50 and 500 commits brought",
    "GET",
    (repo: string) => `${repo}/compare/base...main`,
    undefined,
  ],
  ["a page of 50 branches", "GET", (repo: string) => `${repo}/branches?limit=50`, undefined],
  ["a write of a file", "POST", (repo: string) => `${repo}/contents`, someFile],
] as const;

/** Each operation costs the same in both, but for one look at the commit graph. */
export function testCosts(compared: () => Compared): void {
  it.each(operations)("%s", async (_what, method, path, body) => {
    const given = compared();
    const short = await costOf(given, method, path(given.short), body);
    const long = await costOf(given, method, path(given.long), body);
    expect(long.bucket).toEqual(short.bucket);
    expect(long.table - short.table).toBeLessThanOrEqual(1);
    expect(long.table).toBeLessThanOrEqual(8);
  });
}
