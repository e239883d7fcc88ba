import { expect, it } from "vitest";
import { requirementCoverage } from "../spec/coverage.mjs";

it("each requirement of docs/spec/requirements.json is proven by a test that names it (`npm run coverage:spec`)", () => {
  const coverage = requirementCoverage();
  expect(coverage.length).toBe(259);
  expect(coverage.filter(({ isProven }) => !isProven).map(({ key }) => key)).toEqual([]);
});
