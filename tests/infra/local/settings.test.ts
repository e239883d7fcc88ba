import { describe, expect, it } from "vitest";
import { describeSettings } from "#infra/local/settings";

describe("describeSettings", () => {
  it("prints a table that fits a screen: a long value widens its own row alone", () => {
    const lines = describeSettings({ PORT: "3791" }).split("\n");
    const [head = ""] = lines;
    const row = (name: string) => lines.find((line) => line.startsWith(`${name} `)) ?? "";
    expect(head.length).toBeLessThan(160);
    expect(row("PORT").indexOf("environment")).toBe(head.indexOf("FROM"));
    expect(row("PORT").indexOf("where the API and git are served")).toBe(head.indexOf("MEANING"));
    expect(row("ATTACHMENT_ALLOWED_TYPES")).toMatch(/\.zip {2}default {2,}\.avif,.*\.zip {2}/);
  });
});
