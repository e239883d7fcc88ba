import { describe, expect, it } from "vitest";
import { readConfig } from "#core/config";
import { cutAt, pageOf, pagingHeaders, readPage, wholeUnlessAsked } from "#functions/http/answer/paging";

const config = readConfig({});
const page = (query: string) => readPage(new URLSearchParams(query), config);
const url = (query: string) => new URL(`http://forge.test/api/v1/things?${query}`);

describe("paging", () => {
  it("D-PAGING: 30 rows when nothing is asked, at most 50, and never an error", () => {
    expect(page("")).toEqual({ page: 1, limit: 30, isAsked: false });
    expect(page("limit=100&page=2")).toEqual({ page: 2, limit: 50, isAsked: true });
    for (const odd of ["limit=0&page=0", "limit=-1&page=-5", "limit=x&page=y", "limit=1.5&page=1e400"]) {
      expect(page(odd)).toMatchObject({ page: 1, limit: 30 });
    }
  });

  it("D-PAGING: per_page is not honoured", () => {
    expect(page("per_page=5")).toEqual({ page: 1, limit: 30, isAsked: false });
  });

  it("semantics §1.11-2: five rows by two on page 2 link next, last, first, prev in that order", () => {
    const headers = pagingHeaders({ items: [], total: 5 }, page("limit=2&page=2"), url("page=2&limit=2"));
    const to = (number: number, rel: string) =>
      `<http://forge.test/api/v1/things?limit=2&page=${number}>; rel="${rel}"`;
    expect(headers.get("link")).toBe([to(3, "next"), to(3, "last"), to(1, "first"), to(1, "prev")].join(","));
    expect(headers.get("x-total-count")).toBe("5");
    expect(headers.get("access-control-expose-headers")).toBe("X-Total-Count, Link");
  });

  it("one page has no links; a page far past the end counts as the last for them", () => {
    expect(pagingHeaders({ items: [], total: 3 }, page("page=1"), url("")).has("link")).toBe(false);
    const far = pagingHeaders({ items: [], total: 90 }, page("page=99"), url("page=99")).get("link");
    expect(far).not.toContain('rel="next"');
    expect(far).toContain('page=2>; rel="prev"');
  });

  it("D-TOTAL: past a bound the count is marked and there is no last", () => {
    const headers = pagingHeaders({ items: [], total: 90, isExact: false }, page(""), url(""));
    expect(headers.get("x-total-count-exact")).toBe("false");
    expect(headers.get("link")).not.toContain('rel="last"');
  });

  it("a list that gives all rows unasked has no links, however many there are", () => {
    const rows = Array.from({ length: 90 }, (_, index) => index);
    const headers = pagingHeaders(wholeUnlessAsked(rows, page("")), page(""), url(""));
    expect([headers.get("x-total-count"), headers.get("link")]).toEqual(["90", null]);
  });

  it("D-BIGBODY: a list that was cut goes on exactly behind what was sent, by pages as large as can be", () => {
    for (const [before, sent] of [
      [0, 1],
      [0, 7],
      [0, 127],
      [30, 11],
      [100, 49],
      [99, 1],
      [13, 20],
    ] as const) {
      const { rows, next } = cutAt(before, sent, 50);
      expect((next.page - 1) * next.limit).toBe(before + rows);
      expect(next.limit).toBeLessThanOrEqual(50);
      expect([rows <= sent, rows * 2 >= sent]).toEqual([true, true]);
    }
    expect(cutAt(0, 127, 50)).toEqual({ rows: 100, next: { page: 3, limit: 50 } });
    const headers = pagingHeaders({ items: [], total: 127, next: { page: 3, limit: 50 } }, page(""), url(""));
    expect(headers.get("link")).toBe('<http://forge.test/api/v1/things?limit=50&page=3>; rel="next"');
  });

  it("links never carry a token", () => {
    const headers = pagingHeaders({ items: [], total: 90 }, page(""), url("token=abc&access_token=def"));
    expect(headers.get("link")).not.toMatch(/abc|def/);
  });

  it("cuts rows, and gives all of them where the family does not page", () => {
    const rows = Array.from({ length: 35 }, (_, index) => index);
    expect(pageOf(rows, page("page=2"))).toEqual({ items: [30, 31, 32, 33, 34], total: 35 });
    expect(pageOf(rows, page("page=9"))).toEqual({ items: [], total: 35 });
    expect(wholeUnlessAsked(rows, page("")).items).toHaveLength(35);
    expect(wholeUnlessAsked(rows, page("limit=10")).items).toHaveLength(10);
  });
});
