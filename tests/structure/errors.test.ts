import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { statusOf } from "#functions/http/answer/problems";
import { remedies } from "#functions/openapi/remedies";

const project = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(project, "docs/errors.md"), "utf8");

/** The functions of `core/errors.ts` whose messages the page lists. */
const listed = [
  ...["unauthorized", "gate", "missingRights", "notApplicable", "preconditionFailed", "tooLarge", "archived"],
  ...["rateLimited", "unavailable"],
];

/** The messages in the program, with `…` for what they fill in. */
function messages(): string[] {
  const maker = new RegExp(`(?<![\\w.])(?:${listed.join("|")})\\(\\s*(?:"([^"]*)"|\`([^\`]*)\`)`, "g");
  return ["core", "functions"].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [...readFileSync(join(project, folder, file), "utf8").matchAll(maker)])
      .map(([, text, template = ""]) => text ?? template.replace(/\$\{[^}]*\}/g, "…")),
  );
}

it("docs/errors.md has a row for each code of a refusal, with its status and what to do", () => {
  for (const [code, status] of Object.entries(statusOf))
    expect(page).toContain(`| \`${code}\` | ${status} |`);
  for (const [status, remedy] of Object.entries(remedies)) {
    expect(page.split("\n").some((line) => line.includes(`| ${status} |`) && line.includes(remedy))).toBe(
      true,
    );
  }
});

it("docs/errors.md lists each message of the codes that it lists: add a new one to its code's list", () => {
  const found = messages();
  expect(found.length).toBeGreaterThan(80);
  expect([...new Set(found)].filter((message) => !page.includes(`- \`${message}\`\n`))).toEqual([]);
});
