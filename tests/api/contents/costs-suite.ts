import { expect, it } from "vitest";
import type { Caller, TestApi } from "#tests/support/api";

/** The cost of a warm call, from its answer: requests to the table and units there, reads and writes of the bucket. */
interface Cost {
  readonly requests: number;
  readonly reads: number;
  readonly writes: number;
  readonly bucket: readonly string[];
}

/**
 * Two repositories of one caller, alike except for the length of their histories; each tenth commit changes
 * `a/b/c/d/e`.
 */
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
  const timing = headers.get("server-timing") ?? "";
  const [, ...table] =
    /table;desc="(\d+) requests, ([\d.]+) read and ([\d.]+) write units"/.exec(timing) ?? [];
  const [requests = 0, reads = 0, writes = 0] = table.map(Number);
  return { requests, reads, writes, bucket: timing.match(/\d+ (?:reads|writes)/g) ?? [] };
}

let files = 0;
function someFile(): object {
  files += 1;
  return { files: [{ operation: "create", path: `new/${files}`, content: "eA==" }] };
}

/** With the most that each takes: requests to the table, read units, write units. */
const operations = [
  ["contents of a deep path", [3, 6.5, 0], "GET", (repo: string) => `${repo}/contents/a/b/c/d/e`, undefined],
  [
    "a page of 50 commits of a path",
    [4, 7, 0],
    "GET",
    (repo: string) => `${repo}/commits?path=f&limit=50`,
    undefined,
  ],
  ["a tree", [3, 6.5, 0], "GET", (repo: string) => `${repo}/git/trees/main?recursive=1`, undefined],
  [
    "what a branch has and another lacks",
    [4, 7, 0],
    "GET",
    (repo: string) => `${repo}/compare/base...main`,
    undefined,
  ],
  ["a page of 50 branches", [5, 8, 0], "GET", (repo: string) => `${repo}/branches?limit=50`, undefined],
  ["a write of a file", [9, 12.5, 11], "POST", (repo: string) => `${repo}/contents`, someFile],
] as const;

/** Each operation costs the same in both, except for one look at the commit graph. */
export function testCosts(compared: () => Compared): void {
  it.each(operations)("%s: at most %j", async (_what, most, method, path, body) => {
    const given = compared();
    const short = await costOf(given, method, path(given.short), body);
    const long = await costOf(given, method, path(given.long), body);
    expect([long.bucket, long.writes]).toEqual([short.bucket, short.writes]);
    expect(long.requests - short.requests).toBeLessThanOrEqual(1);
    expect(long.reads - short.reads).toBeLessThanOrEqual(0.5);
    const took = [long.requests, long.reads, long.writes];
    expect(
      took.map((taken, at) => taken <= (most[at] ?? 0)),
      String(took),
    ).toEqual([true, true, true]);
  });
}
