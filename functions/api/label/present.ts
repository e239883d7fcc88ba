import type { Label } from "#core/label/label.table";
import type { Owner } from "#core/owner/owner";
import { apiLinkTo } from "../../http/answer/links.ts";
import type { View } from "../../http/answer/view.ts";
import type { LabelJson } from "./schema.ts";

/** The place of a label: a repository, or an organization. */
export interface LabelPlace {
  readonly owner: Pick<Owner, "name">;
  readonly repository?: { readonly name: string };
}

/** A label as the API shows it. */
export function presentLabel({ config }: View, { owner, repository }: LabelPlace, label: Label): LabelJson {
  const isRepositorys = label.parent.kind === "repository" && repository !== undefined;
  return {
    id: label.id,
    name: label.name,
    exclusive: label.isExclusive,
    is_archived: label.isArchived,
    color: label.color.slice(1),
    description: label.description,
    url: isRepositorys
      ? apiLinkTo(config, "repos", owner.name, repository.name, "labels", label.id)
      : apiLinkTo(config, "orgs", owner.name, "labels", label.id),
  };
}
