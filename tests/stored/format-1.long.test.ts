import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  dataFormat,
  isOfPresentFormat,
  oldestFormat,
  raiseDataFormat,
  readDataFormat,
} from "#core/data-format";
import { findJob } from "#core/jobs/job";
import { countingKind, startCounting } from "#core/quota/count-usage";
import { findingsOf } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { itServes, openSample, type StoredForge } from "./open-sample.ts";

/** Data as it was stored when format 1 began: a job brings it along. */
let stored: StoredForge;

beforeAll(async () => {
  stored = await openSample(1);
});
afterAll(() => stored.api.stop());

const told = async () => ({
  quota: await stored.ask("GET", "/user/quota"),
  attachments: await stored.ask("GET", "/user/quota/attachments"),
});

describe("stored data of format 1", () => {
  it("is told and checked as it is, also while it is written to, until the job is through; then tells the same", async () => {
    const { api, ask } = stored;
    const { table } = api.forge;
    expect([await readDataFormat(table), oldestFormat]).toEqual([1, 1]);
    await ask("POST", "/repos/alice/long/contents/early.txt", {
      content: "aGk=",
      message: "early",
      new_branch: "early",
    });
    expect(await raiseDataFormat(table)).toBe(dataFormat);
    expect(await isOfPresentFormat(table)).toBe(false);
    const before = await told();
    expect(before.quota.used.size.repos.public).toBeGreaterThan(0);
    expect(before.attachments.length).toBeGreaterThan(0);
    expect(await findingsOf(api)).toEqual([]);
    expect([await startCounting(api.forge), await startCounting(api.forge)]).toEqual([1, 0]);
    await finishJobs(api);
    expect(await findJob(api.forge, `${countingKind}-${dataFormat}`)).toBeUndefined();
    expect(await isOfPresentFormat(table)).toBe(true);
    expect(await told()).toEqual(before);
  });

  itServes(() => stored);
});
