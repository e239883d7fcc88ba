import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "docs", "decisions");
const pages = readdirSync(folder);

/** The first paragraphs of a page after its title. */
const paragraphsOf = (page: string) => readFileSync(join(folder, page), "utf8").split("\n\n").slice(1, 4);

it("each decision begins with what is decided, why, and what it costs, in a few lines", () => {
  const others = pages.filter((page) => {
    const [decision = "", why = "", cost = ""] = paragraphsOf(page);
    const inOrder =
      decision.startsWith("**Decision.**") && why.startsWith("**Why.**") && cost.startsWith("**Cost.**");
    return !inOrder || `${decision}${why}${cost}`.length > 800;
  });
  expect(others).toEqual([]);
});

it("each decision has a number of its own", () => {
  const numbers = pages.map((page) => page.slice(0, 4));
  expect(numbers).toEqual([...new Set(numbers)]);
});
