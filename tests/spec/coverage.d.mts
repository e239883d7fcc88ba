import type { TitledTest } from "./titles.mjs";

/** A requirement, and the tests of each part of it: of an operation's each status, else one part without a name. */
export interface RequirementCoverage {
  readonly key: string;
  readonly isProven: boolean;
  readonly proofs: readonly { readonly part: string; readonly tests: readonly TitledTest[] }[];
}

/** Each row of `docs/spec/requirements.json` with the tests that prove it. */
export function requirementCoverage(): readonly RequirementCoverage[];
