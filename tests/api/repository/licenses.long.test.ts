import { expect, it } from "vitest";
import { listLicenses } from "#core/template/licenses";
import { textOf, useLicenses } from "./licenses-world.ts";

useLicenses();

it("every license of the list is found by its text, but for those of a line or two, and second names of others", async () => {
  const { identifyLicense } = await import("#core/template/internal/identify-license");
  const found = listLicenses().map((key) => [key, identifyLicense(textOf(key)) ?? ""] as const);
  const otherwise = found.filter(([key, its]) => textOf(its) !== textOf(key));
  const short = ["FSFUL", "Kastrup", "TPDL", "TermReadKey", "any-OSI", "check-cvs", "diffmark"];
  expect(otherwise.filter(([, its]) => its === "").map(([key]) => key)).toEqual(short);
  expect(otherwise.filter(([, its]) => its !== "")).toEqual([
    ["GPL-1.0+", "GPL-1.0-only"],
    ["LGPL-2.0+", "LGPL-2.0-only"],
    ["LGPL-2.1+", "LGPL-2.1-only"],
    ["StandardML-NJ", "SMLNJ"],
  ]);
});
