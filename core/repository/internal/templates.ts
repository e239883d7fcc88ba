import { nowSeconds } from "../../clock.ts";
import { badRequest, type ForgeError, invalid } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { entryPath, fileMode } from "../../git/format/tree.ts";
import { newLabels } from "../../label/label.ts";
import type { Owner } from "../../owner/owner.ts";
import type { Write } from "../../table/write.ts";
import { findGitignore } from "../../template/gitignores.ts";
import { findLabelSet, type TemplateLabel } from "../../template/label-sets.ts";
import { filledLicense, findLicense, type License } from "../../template/licenses.ts";
import { shortened } from "../../text.ts";
import type { NewRepository } from "../create.ts";
import type { Repository } from "../repository.table.ts";
import type { FirstFile } from "./first-commit.ts";

/** Templates for a new repository; those for files only when it begins with a commit. */
export interface ChosenTemplates {
  readonly gitignore: string;
  readonly license: License | undefined;
  readonly labels: readonly TemplateLabel[];
}

const mostGitignores = 20;

/**
 * The templates that a creation names. As in the family, those for files count only with a first commit. 422 for an
 * unknown name; 400 for that of a README.
 */
export async function chooseTemplates(given: NewRepository): Promise<ChosenTemplates> {
  const { hasReadme = false, readmeTemplate = "", labelTemplate = "" } = given;
  if (hasReadme && !["", "Default"].includes(readmeTemplate)) {
    throw badRequest(
      `there is no README template ${shortened(readmeTemplate, 100)}; leave it out, or take Default`,
    );
  }
  const labels = labelTemplate === "" ? [] : findLabelSet(labelTemplate);
  if (labels === undefined) throw missing("IssueLabels", "label", labelTemplate);
  if (!hasReadme) return { gitignore: "", license: undefined, labels };
  const { licenseTemplate = "", gitignoreTemplates = "" } = given;
  const license = licenseTemplate === "" ? undefined : findLicense(licenseTemplate);
  if (licenseTemplate !== "" && license === undefined) throw missing("License", "license", licenseTemplate);
  return { gitignore: await gitignoreOf(gitignoreTemplates), license, labels };
}

const missing = (field: string, kind: string, name: string): ForgeError =>
  invalid(field, `there is no ${kind} template ${shortened(name, 100)}`);

/** The templates of these names, separated by commas, one after another, each under its name. */
async function gitignoreOf(list: string): Promise<string> {
  const names = [...new Set(list.split(",").map((name) => name.trim()))].filter((name) => name !== "");
  if (names.length > mostGitignores) throw invalid("Gitignores", `at most ${mostGitignores} templates`);
  const texts = await Promise.all(
    names.map(async (name) => {
      const text = await findGitignore(name);
      if (text === undefined) throw missing("Gitignores", "gitignore", name);
      return `# ---> ${name}\n${text.trimEnd()}\n\n`;
    }),
  );
  return texts.join("");
}

/** The files beside the README of a first commit; the license is `owner`'s, of this year. */
export function templateFiles(
  forge: Forge,
  owner: Owner,
  { gitignore, license }: ChosenTemplates,
): FirstFile[] {
  const year = new Date(nowSeconds(forge.clock) * 1000).getUTCFullYear();
  const holder = owner.fullName || owner.name;
  const texts = [
    [".gitignore", gitignore],
    ["LICENSE", license === undefined ? "" : filledLicense(license, year, holder)],
  ] as const;
  return texts
    .filter(([, text]) => text !== "")
    .map(([path, text]) => ({ path: entryPath(path), mode: fileMode, content: Buffer.from(text) }));
}

/** The labels of a new repository, for the transaction that creates it. */
export const labelWrites = (
  forge: Forge,
  { id }: Repository,
  { labels }: ChosenTemplates,
): Promise<Write[]> => newLabels(forge, { kind: "repository", id }, labels);
