import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const tests = fileURLToPath(new URL("..", import.meta.url));
const beginning = /^( *)(describe|it)(?:\.\w+)*\(/;
const text = String.raw`(["\`])((?:\\.|(?!\1)[^\\])*)\1`;
const plainTitle = new RegExp(String.raw`^ *(?:describe|it)(?:\.\w+(?:\([^)]*\))?)*\(\s*${text},`);
const joinedTitle = /^ *describe\(\s*\[([^\]]*)\]\.join\(/;
const titleAfterTable = new RegExp(String.raw`\)\(\s*${text},`);

const mostTitleLines = 8;
const mostTableLines = 300;

/**
 * Every test of the project with its whole title: those of the `describe`s around it, and its own. Read from the texts
 * alone, so it takes a moment; their layout is the formatter's, so the indentation tells what is inside of what.
 */
export function testTitles() {
  return readdirSync(tests, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .sort()
    .flatMap(titlesOf);
}

function titlesOf(file) {
  const lines = readFileSync(join(tests, file), "utf8").split("\n");
  const around = [];
  const found = [];
  for (const [at, line] of lines.entries()) {
    const [, indent, kind] = beginning.exec(line) ?? [];
    if (kind === undefined) continue;
    while (around.length > 0 && around.at(-1).indent >= indent.length) around.pop();
    const own = { indent: indent.length, title: titleOf(lines, at) };
    if (kind === "describe") around.push(own);
    else {
      const title = [...around, own].map((one) => one.title).join(" > ");
      found.push({ file: `tests/${file}`, line: at + 1, title });
    }
  }
  return found;
}

/** Of a call over a table of rows it is the second call's first argument. */
function titleOf(lines, at) {
  const isTable = /\.(?:each|for)\(/.test(lines[at]);
  const call = lines.slice(at, at + (isTable ? mostTableLines : mostTitleLines)).join("\n");
  const [, joined] = joinedTitle.exec(call) ?? [];
  if (joined !== undefined) return joined.replaceAll('"', "");
  return (isTable ? titleAfterTable : plainTitle).exec(call)?.[2] ?? "";
}
