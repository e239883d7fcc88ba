/** What a repository may begin with: files that git ignores, licenses, sets of labels. */
export { findGitignore, listGitignores } from "./gitignores.ts";
export { findLabelSet, listLabelSets, type TemplateLabel } from "./label-sets.ts";
export { filledLicense, findLicense, type License, listLicenses } from "./licenses.ts";
