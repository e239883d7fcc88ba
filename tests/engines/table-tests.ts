import { closureOf, loadingImports, targetsByFile } from "../structure/own-imports.ts";

const tables = "tests/support/stand-ins/engines.ts";

/**
 * The quick tests that make a table of their own, wherever it comes from: all whose imports lead to who makes them, but
 * for those that only count what is asked of it, in units, too.
 */
export function tableTests(): string[] {
  const targets = targetsByFile(loadingImports("tests"));
  return [...targets.keys()].filter(
    (file) =>
      file.endsWith(".test.ts") &&
      !/\.(?:long|soak)\./.test(file) &&
      !file.endsWith("costs.test.ts") &&
      closureOf(targets, file).has(tables),
  );
}
