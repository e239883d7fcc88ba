import { describe, expect, it } from "vitest";
import { markdown, templatesOf, useTemplates } from "./issue-templates-world.ts";

useTemplates();

describe("repoGetIssueTemplates", () => {
  it("200: hostile files are passed over, the rest is shown", async () => {
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"];
    for (const [at, letter] of [..."bcdefghij"].entries()) {
      const before = "abcdefghij"[at];
      bomb.push(`${letter}: &${letter} [${Array(9).fill(`*${before}`).join(", ")}]`);
    }
    const head = "name: x\nabout: y\n";
    const templates = await templatesOf({
      "ISSUE_TEMPLATE/alias.yaml": `${head}${bomb.join("\n")}\n`,
      "ISSUE_TEMPLATE/itself.yaml": `${head}body:\n  - type: input\n    attributes: &a { label: z, more: *a }\n`,
      "ISSUE_TEMPLATE/deep.yaml": `${head}body: ${"[".repeat(30_000)}`,
      "ISSUE_TEMPLATE/large.md": `${markdown}${"x".repeat(70_000)}`,
      "ISSUE_TEMPLATE/repeats.yaml": `${head}z: &z ${"z".repeat(30_000)}\nbody:\n${"  - type: input\n    attributes: { label: *z }\n".repeat(40)}`,
      "ISSUE_TEMPLATE/proto.yaml": `${head}body:\n  - type: input\n    attributes: { label: a, __proto__: { b: 1 } }\n`,
      "ISSUE_TEMPLATE/zero.md": Buffer.from([0xff, 0xfe, 0, 0]),
      "ISSUE_TEMPLATE/z.md": markdown,
    });
    const names = templates.map((one: { file_name: string }) => one.file_name);
    expect(names).toContain("ISSUE_TEMPLATE/z.md");
    for (const name of ["alias.yaml", "itself.yaml", "deep.yaml", "large.md", "repeats.yaml"]) {
      expect(names).not.toContain(`ISSUE_TEMPLATE/${name}`);
    }
    expect(({} as { b?: number }).b).toBeUndefined();
  });
});
