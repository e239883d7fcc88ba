import { describe, expect, it } from "vitest";
import { markdown, useMarkdown } from "./render-world.ts";

useMarkdown();

describe("renderMarkdown", () => {
  it("a megabyte is rendered or refused, the service goes on", async () => {
    const prose = "Lorem ipsum dolor sit amet, consectetur *adipiscing* elit.\n".repeat(17_000);
    expect([200, 422]).toContain((await markdown({ Text: prose })).status);
    expect((await markdown({ Text: "# ".repeat(1_000) })).status).toBe(200);
    const longer = await markdown({ Text: "[a](b) ".repeat(10_000), Context: "c".repeat(1_900) });
    expect(longer.status).toBe(422);
  });
});
