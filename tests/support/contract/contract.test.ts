import { describe, expect, it } from "vitest";
import { endpoints } from "../endpoints.ts";
import { finishFile } from "../suite/file-end.ts";
import { checkContract } from "./contract.ts";

describe("an answer that was not declared", () => {
  it("fails the file of its test, also when nobody looks at the error", async () => {
    const [one] = endpoints;
    if (one === undefined) throw new Error("no operations");
    await checkContract(one, new Response("words", { status: 299 })).catch(() => undefined);
    await expect(finishFile()).rejects.toThrow("undeclared status 299: words");
    await finishFile();
  });
});
