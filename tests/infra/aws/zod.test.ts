import { expect, it } from "vitest";
import { z } from "zod";

/** What bundles lack: nothing of ours asks for it. */
const leftOut = [
  ...["INVALID", "ZodCompileAsyncError", "ZodCompileUnsupportedError", "compile", "fromJSONSchema"],
  ...["locales", "toJSONSchema", "withParser"],
];

it("the zod of bundles exports what zod exports, but for what only others need", async () => {
  const path = "../../../infra/aws/zod.mjs";
  const bundled: typeof import("zod") = await import(path);
  expect(Object.keys(z).filter((name) => !(name in bundled.z))).toEqual(leftOut);
  expect(bundled.z.object({ a: bundled.z.int() }).safeParse({ a: "1" }).error?.issues).toMatchObject([
    { message: "Invalid input: expected number, received string" },
  ]);
});
