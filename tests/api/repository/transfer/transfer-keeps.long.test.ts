import { describe, expect, it } from "vitest";
import { findingsAtRest } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { setRepository } from "#tests/support/set-listed";
import { makeOrganization, makeRepository, makeTeam } from "../../organization/make.ts";
import { alice, api, make, transfer, useTransfers } from "./transfer-keeps-world.ts";

useTransfers();

describe("repoTransfer", () => {
  it("202: to 40 teams of the new owner from 20 of the former one", async () => {
    await makeOrganization(api, alice, "wide");
    const team_ids = [];
    for (let at = 0; at < 40; at += 1) team_ids.push(await makeTeam(api, alice, "wide", `team-${at}`));
    await makeOrganization(api, alice, "narrow");
    const { id } = await makeRepository(api, alice, "narrow", "road");
    const former = await makeTeam(api, alice, "narrow", "former");
    await make("PUT", `/teams/${former}/repos/narrow/road`, alice);
    // Teams that are gone stand for many that are there: they take half of the room.
    const teamIds = [...Array.from({ length: 19 }, (_, at) => 1_000_000 + at), former];
    await setRepository(api.forge, id, { teamIds });
    expect(await transfer("narrow/road", alice, "wide", { team_ids })).toBe(202);
    await finishJobs(api);
    expect((await make("GET", `/teams/${former}/repos`, alice)).length).toBe(0);
    expect(await make("GET", `/teams/${team_ids[39]}/repos`, alice)).toMatchObject([
      { full_name: "wide/road" },
    ]);
  });
});

it("after all of it the whole table holds together", async () => {
  await finishJobs(api);
  expect(await findingsAtRest(api)).toEqual([]);
});
