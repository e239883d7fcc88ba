import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { dataFormat } from "#core/data-format";
import { put } from "#core/table/write";
import { createUser } from "#core/user/create";
import { requireFormat } from "#infra/local/format-check";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";

const formatKey = { pk: "SYS", sk: "FORMAT" };
const account = { name: "alice", email: "alice@example.com", password: "correct-horse-9" };

describe("requireFormat", () => {
  let on: TestForge;
  const letGo = holdStandIns();
  beforeEach(async () => {
    on = await makeForge();
    return () => on.stop();
  });
  afterAll(async () => (await letGo)());

  it("marks a table without data, and takes it from then on", async () => {
    await requireFormat(on.forge, "/data");
    expect(await on.forge.table.get(formatKey)).toEqual({
      ...formatKey,
      format: dataFormat,
      _v: 1,
    });
    await createUser(on.forge, account);
    await requireFormat(on.forge, "/data");
  });

  it("refuses data from before there were formats, and leaves it unmarked", async () => {
    await createUser(on.forge, account);
    const check = requireFormat(on.forge, "/data");
    await expect(check).rejects.toThrow(/^The data in \/data is from before format 1, .* new DATA_DIR /);
    expect(await on.forge.table.get(formatKey)).toBeUndefined();
  });

  it("refuses data of a later format", async () => {
    await on.forge.table.write(put({ ...formatKey, format: dataFormat + 1, _v: 1 }));
    const check = requireFormat(on.forge, "the table forge");
    await expect(check).rejects.toThrow(/^The data in the table forge is in format 3, .* newer one\.$/);
  });
});
