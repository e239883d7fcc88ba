import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { settings } from "#core/config";
import { gitSettings } from "#core/config/git";
import { intakeSettings } from "#core/config/intake";
import { rateSettings } from "#core/config/rates";
import { launcherSettings } from "#infra/local/settings";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const read = (path: string) => readFileSync(join(project, path), "utf8");

const variablesOf = (group: object) =>
  Object.values(group).map(({ variable }: { variable: string }) => variable);
const named = [...read("docs/limits.md").matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=\w+)?`/g)].map(
  ([, name]) => name,
);

it("docs/limits.md names every setting of pushes, bodies and rates", () => {
  const bounds = [gitSettings, intakeSettings, rateSettings].flatMap(variablesOf);
  expect(bounds.filter((variable) => !named.includes(variable))).toEqual([]);
});

it("the settings that docs/limits.md names exist", () => {
  const deployed = read("infra/aws/deploy-settings.ts");
  const known = [settings, launcherSettings].flatMap(variablesOf);
  const unknown = named.filter((name = "") => !known.includes(name) && !deployed.includes(`"${name}"`));
  expect(unknown).toEqual([]);
});
