import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Forge } from "#core/forge";
import { createApi } from "#functions/api/app";
import { pageOf, wholeUnlessAsked } from "#functions/http/answer/paging";
import { endpoint } from "#functions/http/endpoint";
import { makeForge } from "#tests/support/forge";
import { z } from "#zod";

const rows = Array.from({ length: 230 }, (_, index) => `${index} ${"x".repeat(40_000)}`);
const common = {
  tag: "miscellaneous",
  method: "get",
  summary: "for tests",
  needs: {},
  status: 200,
  errors: [],
} as const;
const whole = endpoint({
  ...common,
  id: "whole",
  path: "/whole",
  returns: { list: z.string() },
  handle: async ({ page }) => wholeUnlessAsked(rows, page),
});
const found = endpoint({
  ...common,
  id: "found",
  path: "/found",
  returns: { search: z.object({ ok: z.boolean(), data: z.array(z.string()) }) },
  handle: async ({ page }) => pageOf(rows, page),
});

let forge: Forge;
let stop: () => Promise<void>;
let app: ReturnType<typeof createApi>;

beforeAll(async () => {
  ({ forge, stop } = await makeForge({ settings: { MAX_RESPONSE_ITEMS: "200" } }));
  app = createApi({ forge, endpoints: [whole, found] });
});
afterAll(() => stop());

/** Follows `Link: next` from a path to the end; answers the numbers of all rows and the bytes of the longest answer. */
async function walk(path: string) {
  const numbers: number[] = [];
  let longest = 0;
  for (let next: string | undefined = `${forge.config.rootUrl}/api/v1${path}`; next !== undefined; ) {
    const response: Response = await app.request(next);
    const text = await response.text();
    longest = Math.max(longest, text.length);
    const parsed = JSON.parse(text) as string[] | { data: string[] };
    numbers.push(...("data" in parsed ? parsed.data : parsed).map((row) => Number.parseInt(row, 10)));
    expect(response.headers.get("x-total-count")).toBe("230");
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return { numbers, longest };
}

describe("a list of more than 4 MB (D-BIGBODY)", () => {
  const all = Array.from({ length: 230 }, (_, index) => index);

  it.each(["/whole", "/whole?limit=200", "/found?limit=199", "/found"])(
    "%s ends early and goes on behind Link: each row once, in order",
    async (path) => {
      const { numbers, longest } = await walk(path);
      expect(numbers).toEqual(all);
      expect(longest).toBeLessThan(4.1 * 2 ** 20);
    },
  );
});
