// `npm run coverage:spec`: lists each requirement with the tests that prove it, and counts the proven ones.
import { requirementCoverage } from "./coverage.mjs";

const coverage = requirementCoverage();
for (const { key, proofs, isProven } of coverage) {
  console.log(isProven ? key : `${key} IS NOT PROVEN`);
  for (const { part, tests } of proofs) {
    const name = part === "" ? "" : `${part} `;
    if (tests.length === 0) console.log(`  ${name}no test`);
    for (const { file, line, title } of tests) console.log(`  ${name}${file}:${line} ${title}`);
  }
}
const proven = coverage.filter(({ isProven }) => isProven).length;
console.log(`${proven} of ${coverage.length}`);
process.exitCode = proven === coverage.length ? 0 : 1; // process.exit would cut off what a pipe has not taken yet
