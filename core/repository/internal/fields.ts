import { branchNameProblem } from "../../branch/name.ts";
import { type ForgeError, invalid } from "../../errors.ts";
import { repositoryNameProblem } from "./name.ts";

/** Fields that creating and editing check alike. */
export interface CheckedFields {
  readonly name?: string;
  readonly description?: string;
  readonly website?: string;
  readonly defaultBranch?: string;
}

const longest = { description: 2048, website: 1024 };

/** The first invalid field (semantics §1.5), or undefined when all are valid. */
export function repositoryFieldProblem(fields: CheckedFields): ForgeError | undefined {
  const { name, description = "", website = "", defaultBranch } = fields;
  const nameProblem = name === undefined ? undefined : repositoryNameProblem(name);
  if (nameProblem !== undefined) return nameProblem;
  if (description.length > longest.description)
    return invalid("Description", `MaxSize ${longest.description}`);
  if (website.length > longest.website) return invalid("Website", `MaxSize ${longest.website}`);
  return defaultBranch === undefined ? undefined : branchNameProblem(defaultBranch, "DefaultBranch");
}
