import { accessMode, modeOf } from "#core/access/modes";
import { findAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { badRequest, forbidden } from "#core/errors";
import type { Forge } from "#core/forge";
import type { Owner } from "#core/owner/owner";
import type { HashedContent } from "#core/package/contents";
import { keptReadme, npmMetadata } from "#core/package/npm/manifest";
import { npmNameProblem, npmTagProblem, tarballName } from "#core/package/npm/name";
import { parseSemanticVersion } from "#core/package/npm/semver";
import type { FileHashes } from "#core/package/package.table";
import type { Publication } from "#core/package/publish";

type Json = Readonly<Record<string, unknown>>;

/** An object of a client's JSON; empty for anything else. */
export const objectIn = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

/**
 * What a client's document publishes: its first version, with its tags (semantics §58.3). Everything is checked before
 * anything is stored. 400 for what is not valid, 403 for a repository here that the caller may not write packages of.
 */
export async function publicationOf(
  forge: Forge,
  owner: Owner,
  actor: Actor,
  given: { readonly document: Json; readonly name: string; readonly file: HashedContent },
): Promise<Publication> {
  const { document, name, file } = given;
  if (typeof document.name === "string" && document.name !== name) {
    throw badRequest("the document is that of another package");
  }
  const nameProblem = npmNameProblem(name);
  if (nameProblem !== undefined) throw nameProblem;
  const { manifest, version } = firstVersionOf(document);
  if (file.content.sizeBytes === 0) throw badRequest("the attachment is empty");
  const integrity = checkedIntegrity(manifest, file.hashes);
  const tags = Object.keys(objectIn(document["dist-tags"]));
  for (const tag of tags) {
    const problem = npmTagProblem(tag);
    if (problem !== undefined) throw problem;
  }
  const fileName = tarballName(name, version);
  const metadata = npmMetadata(manifest, { file: fileName, shasum: file.hashes.sha1, integrity });
  const readme = keptReadme(manifest.readme ?? document.readme);
  const repositoryId = await repositoryNamed(forge, owner, actor, manifest.repository);
  const link = repositoryId === undefined ? {} : { repositoryId };
  return { type: "npm", name, version, fileName, file, metadata, readme, tags, ...link };
}

function firstVersionOf(document: Json): { readonly manifest: Json; readonly version: string } {
  const [first] = Object.entries(objectIn(document.versions));
  if (first === undefined) throw badRequest("the document has no version");
  const manifest = objectIn(first[1]);
  const text = typeof manifest.version === "string" ? manifest.version : first[0];
  const version = parseSemanticVersion(text.trim());
  if (version === undefined) throw badRequest("the version is not a semantic version");
  return { manifest, version: version.text };
}

/** `sha512-…` of the attachment, after what the client says of it was checked. */
function checkedIntegrity(manifest: Json, hashes: FileHashes): string {
  const { integrity } = objectIn(manifest.dist);
  const claims = typeof integrity === "string" ? integrity.trim().split(/\s+/) : [];
  const known = { sha512: hashes.sha512, sha1: hashes.sha1 };
  const right = Object.entries(known).map(
    ([name, hex]) => `${name}-${Buffer.from(hex, "hex").toString("base64")}`,
  );
  const checkable = claims.filter((claim) => /^sha(?:512|1)-/.test(claim));
  if (checkable.length === 0) throw badRequest("dist.integrity is missing: sha512-… or sha1-…");
  if (!checkable.every((claim) => right.includes(claim))) {
    throw badRequest("dist.integrity is not that of the attachment");
  }
  return right[0] ?? "";
}

/** The repository here that a manifest names, if it is the owner's. One of others links nothing. */
async function repositoryNamed(
  forge: Forge,
  owner: Owner,
  actor: Actor,
  given: unknown,
): Promise<number | undefined> {
  const url = typeof given === "string" ? given : objectIn(given).url;
  const names = typeof url === "string" ? namesIn(url, forge.config.rootUrl) : undefined;
  if (names === undefined) return undefined;
  const access = await findAccess(forge, actor, names.owner, names.repo);
  if (access === undefined) return undefined;
  const isOwn = access.owner.id === actor.user.id;
  if (!isOwn && !actor.user.isAdmin && modeOf(access.rights, "packages") < accessMode.write) {
    throw forbidden(`you may not write packages of the repository ${names.owner}/${names.repo}`);
  }
  return access.owner.id === owner.id ? access.repository.id : undefined;
}

/** The names in an address under our root, as clients write it: `git+https://…/owner/repo.git`. */
function namesIn(
  url: string,
  rootUrl: string,
): { readonly owner: string; readonly repo: string } | undefined {
  const plain = url.slice(0, 2_048).replace(/^git\+/, "");
  if (!plain.startsWith(`${rootUrl}/`)) return undefined;
  const [owner = "", repo = ""] = plain.slice(rootUrl.length + 1).split(/[/#?]/);
  return owner === "" || repo === "" ? undefined : { owner, repo: repo.replace(/\.git$/, "") };
}
