import { createHash } from "node:crypto";
import { giveWay } from "#core/concurrency/give-way";
import type { Config } from "#core/config";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import type { Owner } from "#core/owner/owner";
import { type NpmManifest, readNpmMetadata } from "#core/package/npm/manifest";
import { compareVersions, parseSemanticVersion, type SemanticVersion } from "#core/package/npm/semver";
import type { Package, PackageVersion } from "#core/package/package.table";
import { newestReadmes, versionPages } from "#core/package/versions";
import { linkTo } from "../../http/answer/links.ts";

/** What an npm registry tells of a package: its owner, and where the registry is. */
export interface NpmPlace {
  readonly forge: Forge;
  readonly owner: Owner;
  readonly found: Package;
}

/** The address of the file of a version: a client that unpublishes it makes its request of this one. */
const tarballLink = (config: Config, owner: Owner, { name, version, metadata }: PackageVersion): string =>
  linkTo(
    config,
    ...["api", "packages", owner.name, "npm", name, "-", version],
    readNpmMetadata(metadata).dist.file,
  );

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The members of a manifest that stand in a document; npm shows an author as an object. */
const shown = ({ author, ...rest }: NpmManifest): object =>
  defined({ ...rest, author: author === undefined ? undefined : { name: author } });

/** A version in the document of its package (semantics §58.4). */
function versionEntry(
  { forge, owner }: NpmPlace,
  version: PackageVersion,
  readme: string | undefined,
): object {
  const { manifest, dist } = readNpmMetadata(version.metadata);
  return defined({
    _id: `${version.name}@${version.version}`,
    name: version.name,
    version: version.version,
    ...shown(manifest),
    readme,
    deprecated: version.deprecated,
    dist: {
      shasum: dist.shasum,
      integrity: dist.integrity,
      tarball: tarballLink(forge.config, owner, version),
    },
  });
}

/** What the whole document learns while its versions pass. */
class DocumentFacts {
  readonly times: Record<string, string> = {};
  modifiedAt: number;
  #highest: { readonly parsed: SemanticVersion; readonly version: PackageVersion } | undefined;

  constructor({ createdAt }: Package) {
    this.modifiedAt = createdAt;
  }

  note(version: PackageVersion): void {
    this.modifiedAt = Math.max(this.modifiedAt, version.createdAt);
    this.times[version.version] = isoTime(version.createdAt);
    const parsed = parseSemanticVersion(version.version);
    if (parsed === undefined) return;
    const isHigher = this.#highest === undefined || compareVersions(parsed, this.#highest.parsed) > 0;
    if (isHigher) this.#highest = { parsed, version };
  }

  get highest(): PackageVersion | undefined {
    return this.#highest?.version;
  }
}

/** A page of versions, and the readmes, have a megabyte each in the table. */
const mostPageBytes = 4 * 2 ** 20;
const mostVersionBytes = 256 * 1024;
/** A version, and when it was published: they stand behind all versions, and wait until then. */
const timeBytes = 150;

/** The memory that a document takes while its client takes it, at most. */
const documentBytes = ({ versions }: Package): number =>
  Math.min(versions * mostVersionBytes, mostPageBytes) + versions * timeBytes;

/** A piece ends with the version that makes it this long. */
const pieceLength = 64 * 1024;

/**
 * The document of a package in pieces of JSON: version by version, however many there are, and behind them what is said
 * of all (semantics §58.4). Tags that lead to a version which went meanwhile are left out.
 */
async function* metadataPieces(place: NpmPlace): AsyncGenerator<string> {
  const { forge, found } = place;
  const { name, v } = found;
  const readmes = await newestReadmes(forge, found);
  yield `{"_id":${JSON.stringify(name)},"_rev":"${v}-${found.id}","name":${JSON.stringify(name)},"versions":{`;
  const facts = new DocumentFacts(found);
  let piece = "";
  let separator = "";
  for await (const page of versionPages(forge, found)) {
    for (const version of page) {
      facts.note(version);
      const entry = versionEntry(place, version, readmes.get(version.number));
      piece += `${separator}${JSON.stringify(version.version)}:${JSON.stringify(entry)}`;
      separator = ",";
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = "";
      await giveWay();
    }
  }
  yield `${piece}},${JSON.stringify(ofAll(found, facts, readmes)).slice(1)}`;
}

function ofAll(found: Package, facts: DocumentFacts, readmes: ReadonlyMap<number, string>): object {
  const { highest, times } = facts;
  const { description, author, license, homepage, repository, keywords } =
    highest === undefined ? ({} as NpmManifest) : readNpmMetadata(highest.metadata).manifest;
  const texts = shown({ description, author, license, homepage, repository, keywords } as NpmManifest);
  const tags = Object.entries(found.tags).filter(([, version]) => Object.hasOwn(times, version));
  return defined({
    "dist-tags": Object.fromEntries(tags),
    time: { created: isoTime(found.createdAt), modified: isoTime(facts.modifiedAt), ...times },
    ...texts,
    readme: highest === undefined ? undefined : readmes.get(highest.number),
  });
}

/** Changes with whatever the document says: the package, and the names in its addresses. */
const metadataEtag = ({ forge, owner, found }: NpmPlace): string =>
  createHash("sha256")
    .update([found.id, found.v, owner.name, forge.config.rootUrl].join("\0"))
    .digest("base64url")
    .slice(0, 27);

/** The document as an answer: versions are read as far as the client takes it. */
export async function metadataAnswer(place: NpmPlace): Promise<Response> {
  await place.forge.reserve(documentBytes(place.found));
  const pieces = metadataPieces(place);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (done) controller.close();
          else controller.enqueue(Buffer.from(value));
        } catch (error) {
          controller.error(error);
        }
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-type": "application/json", etag: `"${metadataEtag(place)}"` };
  return new Response(body, { headers });
}
