import { describe, expect, it } from "vitest";
import { api, owner, pin, pinned, pinOf, usePins, where, writer } from "./pins-world.ts";

usePins();

describe("moveIssuePin", () => {
  it("400: below 1, and what is no number", async () => {
    await pin(1, 2);
    for (const position of ["/0", "/-1", "/first"]) {
      expect((await pinOf("PATCH", 2, owner, position)).status).toBe(400);
    }
    expect(await pinned()).toEqual([1, 2]);
  });
});

describe("unpinIssue, moveIssuePin", () => {
  it("401: anonymous callers; 403: a writer; nothing moves (semantics §3.5)", async () => {
    await pin(1, 2);
    const body = { permission: "write" };
    await api.call("PUT", `${where.path}/collaborators/willa`, { as: owner, body });
    for (const [as, status] of [
      [undefined, 401],
      [writer, 403],
    ] as const) {
      expect((await api.call("DELETE", `${where.path}/issues/1/pin`, { as })).status).toBe(status);
      expect((await api.call("PATCH", `${where.path}/issues/2/pin/1`, { as })).status).toBe(status);
    }
    expect(await pinned()).toEqual([1, 2]);
    await api.call("PUT", `${where.path}/collaborators/willa`, { as: owner, body: { permission: "admin" } });
    expect((await pinOf("PATCH", 2, writer, "/1")).status).toBe(204);
    expect(await pinned()).toEqual([2, 1]);
  });
});
