import type { Config } from "#core/config";
import { defined } from "#core/defined";
import type { Owner } from "#core/owner/owner";
import type { VersionInPackage } from "#core/package/list";
import { readNpmMetadata } from "#core/package/npm/manifest";
import { scopeOf, unscoped } from "#core/package/npm/name";
import { linkTo } from "../../http/answer/links.ts";

/** A package that a search found, as its newest version (semantics §58.4). */
export function searchObject(
  config: Config,
  owner: Owner,
  { version }: VersionInPackage,
): Record<string, unknown> {
  const { manifest } = readNpmMetadata(version.metadata);
  const { description, author, keywords, homepage } = manifest;
  return {
    package: defined({
      scope: scopeOf(version.name) ?? "unscoped",
      name: unscoped(version.name),
      version: version.version,
      date: new Date(version.createdAt * 1000).toISOString(),
      description: description ?? "",
      author: { name: author ?? "" },
      publisher: { name: owner.name },
      maintainers: [],
      keywords: keywords ?? [],
      links: defined({
        npm: linkTo(config, owner.name, "-", "packages", "npm", version.name),
        homepage,
      }),
    }),
  };
}
