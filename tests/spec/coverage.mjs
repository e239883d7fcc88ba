import { readFileSync } from "node:fs";
import { testTitles } from "./titles.mjs";

const rows = JSON.parse(readFileSync(new URL("../../docs/spec/requirements.json", import.meta.url), "utf8"));

/**
 * Each requirement with the tests that prove it. Their titles name its key (`B-02b`). A requirement of an operation
 * (`OP-repoGet`) is proven status by status: each that the row names stands in the title of a test of that operation.
 */
export function requirementCoverage() {
  const titles = testTitles();
  return rows.map(({ key, requirement }) => {
    const parts = key.startsWith("OP-") ? partsOfOperation(key, requirement) : [{ part: "", words: [key] }];
    const proofs = parts.map(({ part, words }) => ({
      part,
      tests: naming(words, titles),
    }));
    return { key, proofs, isProven: proofs.every(({ tests }) => tests.length > 0) };
  });
}

/** What each answer of an operation looks for in titles; of a row that names none, any test of the operation will do. */
function partsOfOperation(key, requirement) {
  const id = key.slice("OP-".length);
  const statuses = [...new Set(requirement.match(/\b[2-5]\d\d\b/g))];
  return statuses.length === 0
    ? [{ part: "", words: [id] }]
    : statuses.map((status) => ({ part: status, words: [id, status] }));
}

/** Tests whose titles name all words, each alone: `QUOTA-size:all` is not named by a longer key. */
function naming(words, titles) {
  const alone = words.map((word) => {
    const literal = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return new RegExp(`(?<![\\w.:-])${literal}(?![\\w-]|[.:]\\w)`);
  });
  const mayName = titles.filter(({ title }) => words.every((word) => title.includes(word)));
  return mayName.filter(({ title }) => alone.every((pattern) => pattern.test(title)));
}
