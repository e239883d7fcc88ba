import { describe, expect, it } from "vitest";
import { createActionVariable } from "#core/action-variable/action-variable";
import { finishJobs } from "#tests/support/jobs";
import { makeOrganization } from "../organization/make.ts";
import { api, boss, call, owner, useVariables } from "./variables-world.ts";

useVariables();

describe("bounds of variables", () => {
  it("422: the 101st of a place, and those beyond 256 KiB together", async () => {
    await makeOrganization(api, owner, "many");
    const path = "/orgs/many/actions/variables";
    for (let at = 0; at < 100; at += 1) await call("POST", `${path}/v${at}`, { value: "x" });
    expect((await call("POST", `${path}/more`, { value: "x" })).status).toBe(422);
    expect((await call("PUT", `${path}/v1`, { name: "other", value: "y" })).status).toBe(204);
    const large = "x".repeat(49_152);
    for (let at = 2; at < 7; at += 1) await call("PUT", `${path}/v${at}`, { value: large });
    expect((await call("PUT", `${path}/v8`, { value: large })).status).toBe(422);
    expect((await call("GET", `${path}/v8`)).json.data).toBe("x");
  });

  it("one of two rivals creates a name, and none comes to an owner that is gone", async () => {
    const body = { value: "x" };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => call("POST", "/orgs/acme/actions/variables/race", body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409]);
    const { json } = await call("GET", "/orgs/acme");
    expect((await call("POST", "/repos/olga/a/actions/variables/left", body)).status).toBe(204);
    const id = (await call("GET", "/repos/olga/a")).json.id;
    await call("DELETE", "/repos/olga/a");
    expect((await call("DELETE", "/orgs/acme", undefined, boss)).status).toBe(204);
    const place = { kind: "organization", id: json.id } as const;
    await expect(createActionVariable(api.forge, place, { name: "x", value: "y" })).rejects.toMatchObject({
      code: "not-found",
    });
    await finishJobs(api);
    for (const pk of [`O#${json.id}`, `R#${id}`]) {
      expect(await api.forge.table.queryAll({ pk, prefix: "VAR#" })).toEqual([]);
    }
  });
});
