import { expect, it } from "vitest";
import { dataFormat, readDataFormat } from "#core/data-format";
import { checkTable } from "#core/lifecycle/check/check";
import { makeApi } from "#tests/support/api";
import { makeSampleData } from "./make.ts";
import { sampleSettings, writeSample } from "./sample-file.ts";

/** `npm run sample` writes the stored sample of the present format, once. */
it("writes the sample of the present format", async () => {
  const api = await makeApi({ settings: sampleSettings });
  try {
    await readDataFormat(api.forge.table);
    await makeSampleData(api);
    const findings = [];
    for await (const finding of checkTable(api.forge)) findings.push(finding);
    expect(findings).toEqual([]);
    await writeSample(api.forge, dataFormat);
  } finally {
    await api.stop();
  }
});
