import { describe, expect, it } from "vitest";
import { decodeBase64 } from "#core/base64";
import { makeRepository, pushFiles } from "#tests/support/code";
import { alice, api, creating, usePaths, write } from "./hostile-paths-world.ts";

usePaths();

describe("repoChangeFiles", () => {
  it("422: a file is above, in the branch or in the same request", async () => {
    await makeRepository(api, alice, "above", { auto_init: true });
    await pushFiles(api, alice, "above", { files: { "a/b": "file" } });
    for (const paths of [["a/b/c/d"], ["x/y", "x/y/z"]]) {
      const { status, json } = await write("above/contents", creating(paths));
      expect([status, json.message]).toEqual([422, expect.stringContaining("is no folder")]);
    }
  });
});

describe("decodeBase64", () => {
  it.each(["", "QQ==", "QUE=", "QUFB", "QU\nF\r\nB", "QQ=\n=", "\n"])("takes %j", (text) => {
    expect(decodeBase64(text)).toEqual(Buffer.from(text, "base64"));
  });
  it.each(["Q", "QQ", "QQ=", "QQ===", "Q=Q=", "QUFB=", "QQ-_", "Q Q=", "ŁUFB", "====", "QUĊFB", "QU!B"])(
    "refuses %j",
    (text) => {
      expect(decodeBase64(text)).toBeUndefined();
    },
  );
});
