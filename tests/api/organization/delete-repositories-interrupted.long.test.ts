import { describe, expect, it } from "vitest";
import { finishJobs } from "#tests/support/jobs";
import { alice, api, left, org, remove, useOrganizations } from "./delete-repositories-world.ts";
import { makeRepository } from "./make.ts";

useOrganizations();

describe("orgDeleteRepos", () => {
  it("202: interrupted, a worker goes on; what comes meanwhile stays, and what went away does", async () => {
    for (let at = 0; at < 4; at += 1) await makeRepository(api, alice, org, `r${at}`);
    const fits = (input: { TransactItems: unknown[] }) => JSON.stringify(input).includes("empty-repository");
    const fault = new Error("the table is down");
    api.faults.inject({ service: "dynamodb", operation: "TransactWriteItems", fault, skip: 1, fits });
    expect(await remove(alice)).toEqual([202, ""]);
    expect(await left()).toHaveLength(3);
    const moved = { new_owner: "alice" };
    expect((await api.call("POST", `/repos/${org}/r3/transfer`, { as: alice, body: moved })).status).toBe(
      202,
    );
    await makeRepository(api, alice, org, "later");
    api.clock.advance(60_000);
    await finishJobs(api);
    expect(await left()).toEqual([`${org}/later`]);
    expect((await api.call("GET", "/repos/alice/r3")).status).toBe(200);
  });
});
