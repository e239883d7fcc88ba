import { expect, it } from "vitest";
import { holdStandIns, makeForge } from "../forge.ts";
import { inThisProcess } from "./stand-ins.ts";

it("a start of the shared stand-ins that fails is not kept: who comes next gets them", async () => {
  const standIns = {
    ...inThisProcess,
    startS3: () => Promise.reject(new Error("the port was taken meanwhile")),
  };
  await expect(makeForge({ standIns })).rejects.toThrow("the port was taken meanwhile");
  const [release, { forge, stop }] = await Promise.all([holdStandIns(), makeForge()]);
  expect(await forge.table.get({ pk: "a", sk: "b" })).toBeUndefined();
  await stop();
  await release();
});
