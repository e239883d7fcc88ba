import { expect, it } from "vitest";
import { defined } from "#core/defined";

it("leaves out members that are undefined, and no others", () => {
  const given = { a: undefined, b: null, c: 0, d: "", e: false };
  expect(Object.keys(defined(given))).toEqual(["b", "c", "d", "e"]);
});
