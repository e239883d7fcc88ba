import { describe, expect, it } from "vitest";
import { makeOrganization } from "../organization/make.ts";
import { api, call, owner, useSecrets } from "./secrets-world.ts";

useSecrets();

describe("bounds of secrets", () => {
  it("422: the 101st of a place, and those beyond 256 KiB together; 201 for one rival of four", async () => {
    await makeOrganization(api, owner, "many");
    const path = "/orgs/many/actions/secrets";
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, at) => call("PUT", `${path}/race`, { data: String(at) })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 204, 204, 204]);
    for (let at = 1; at < 100; at += 1) await call("PUT", `${path}/s${at}`, { data: "x" });
    expect((await call("PUT", `${path}/more`, { data: "x" })).status).toBe(422);
    const large = "x".repeat(49_152);
    for (let at = 2; at < 7; at += 1) await call("PUT", `${path}/s${at}`, { data: large });
    expect((await call("PUT", `${path}/s8`, { data: large })).status).toBe(422);
  });
});
