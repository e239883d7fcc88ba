import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { conflict, unprocessable } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { nextId, nextPackageNumber } from "../ids.ts";
import { noteDeltaWrite } from "../list-index/compaction-requests.ts";
import { ownerStays, requireStaying } from "../owner/deletion.ts";
import type { Owner } from "../owner/owner.ts";
import { type UsageHolder, usageWrites } from "../quota/usage.ts";
import { absent, equals } from "../table/condition.ts";
import { put, update, type Write } from "../table/write.ts";
import { type HashedContent, IncomingContent } from "./contents.ts";
import { beingChanged, endLink, linkWrite, packageHolder } from "./link.ts";
import { packageIndex } from "./package.index.ts";
import {
  fileKey,
  numbersPerOwner,
  type Package,
  type PackageFile,
  type PackageReadme,
  type PackageType,
  type PackageVersion,
  packageKey,
  packageVersionId,
  readmeKey,
  versionKey,
} from "./package.table.ts";
import { findPackage, findPackageVersion } from "./package.ts";
import { requirePackageRoom } from "./size-limits.ts";
import { requireTagRoom } from "./tags.ts";
import { listedWrites, VersionEvent } from "./version-writes.ts";

/** One file, and the version that it belongs to. Names are checked by the registry. */
export interface Publication {
  readonly type: PackageType;
  readonly name: string;
  readonly version: string;
  readonly fileName: string;
  readonly file: HashedContent;
  /** A version that is there takes more files. */
  readonly takesMoreFiles?: true;
  readonly metadata?: string;
  readonly readme?: string;
  /** Tags that lead to the new version from now on. */
  readonly tags?: readonly string[];
  /** A new package belongs to this repository of its owner. */
  readonly repositoryId?: number;
}

const mostFiles = 1_000;

/** What a publication finds in its place. */
interface Place {
  readonly found: Package | undefined;
  readonly version: PackageVersion | undefined;
  readonly holder: UsageHolder;
  readonly content: { readonly object: string; readonly write: Write };
}

/** A transaction, and the work after it. */
interface Plan {
  readonly writes: readonly Write[];
  readonly after: () => Promise<void>;
}

/**
 * Publishes a file: with it comes its version, unless that is there and takes more files, and its package. Conflict when
 * the version or the file is there: of two at once one wins. NotFound once the owner is gone, 403 beyond what the
 * installation lets an owner have (semantics §57).
 */
export async function publishFile(
  forge: Forge,
  owner: Owner,
  actor: Actor,
  publication: Publication,
): Promise<void> {
  const { type, name, file } = publication;
  await requirePackageRoom(forge, actor, owner, { type, bytes: file.content.sizeBytes });
  const incoming = new IncomingContent(forge, owner.id, file);
  const maker = new PublicationMaker(forge, owner, actor, publication);
  for await (const _attempt of attempts()) {
    const found = await findPackage(forge, { ownerId: owner.id, type, name });
    const version = found && (await findPackageVersion(forge, found.id, publication.version));
    if (version !== undefined && publication.takesMoreFiles !== true) throw versionExists(publication);
    const holder = await maker.holder(found);
    if (holder === "gone") continue;
    const place = { found, version, holder, content: await incoming.take() };
    const plan = version === undefined ? await maker.newVersion(place) : await maker.newFile(version, place);
    const outcome = await forge.table.transact([ownerStays(owner.id), ...plan.writes]);
    if (outcome.committed) return plan.after();
    if (outcome.failed.includes(0)) await requireStaying(forge, owner);
  }
  throw beingChanged();
}

const versionExists = ({ name, version }: Publication) =>
  conflict(`${name} ${version} is there already: a version is published once`);

/** Plans the transactions of one publication; ids are taken once. */
class PublicationMaker {
  readonly #forge: Forge;
  readonly #owner: Owner;
  readonly #actor: Actor;
  readonly #given: Publication;
  readonly #event: VersionEvent;
  #ids: { readonly number: number; readonly packageId: number } | undefined;
  #fileId: number | undefined;

  constructor(forge: Forge, owner: Owner, actor: Actor, given: Publication) {
    this.#forge = forge;
    this.#owner = owner;
    this.#actor = actor;
    this.#given = given;
    this.#event = new VersionEvent(forge, "created", actor.user.id);
  }

  /** The holder that will count the bytes. "gone": the package's repository was deleted, and the package is unlinked now. */
  async holder(found: Package | undefined): Promise<UsageHolder | "gone"> {
    if (found !== undefined) {
      const holder = await packageHolder(this.#forge, found);
      if (holder === "gone") await endLink(this.#forge, found, found.repositoryId ?? 0);
      return holder;
    }
    const { repositoryId } = this.#given;
    const ownerId = this.#owner.id;
    return repositoryId === undefined
      ? { ownerId, packageId: (await this.#newIds()).packageId }
      : { ownerId, repositoryId };
  }

  async newVersion({ found, holder, content }: Place): Promise<Plan> {
    const forge = this.#forge;
    const version = await this.#version(found);
    const repositoryId = found === undefined ? this.#given.repositoryId : found.repositoryId;
    const event = this.#event.of(version, repositoryId);
    return {
      writes: [
        put(version, absent),
        ...this.#packageWrites(found, version),
        put(await this.#file(version, content.object), absent),
        content.write,
        ...this.#readme(version),
        ...listedWrites(version),
        ...usageWrites([{ ...holder, name: "packages", bytes: version.bytes }]),
        event.write,
      ],
      after: async () => {
        await send(forge, [event]);
        await noteDeltaWrite(forge, packageIndex(this.#owner.id));
      },
    };
  }

  /** Another file of a version that is there. Conflict when it has one of this name. */
  async newFile(version: PackageVersion, { found, holder, content }: Place): Promise<Plan> {
    const { packageId, number, files, bytes, v } = version;
    const { fileName, file } = this.#given;
    const key = fileKey(packageId, number, fileName);
    if ((await this.#forge.table.get(key)) !== undefined) {
      throw conflict(`the version has a file of this name already [name: ${fileName}]`);
    }
    if (files >= mostFiles) throw unprocessable(`a version has at most ${mostFiles} files`);
    const { sizeBytes } = file.content;
    const after = { ...version, files: files + 1, bytes: bytes + sizeBytes, v: v + 1 };
    const { type, name, id, repositoryId } = found as Package;
    return {
      writes: [
        put(await this.#file(version, content.object), absent),
        update(
          versionKey(packageId, version.version),
          { set: { files: after.files, bytes: after.bytes, v: after.v } },
          equals({ number, v }),
        ),
        update(
          packageKey(this.#owner.id, type, name),
          { add: { bytes: sizeBytes, v: 1 } },
          equals({ id, repositoryId }),
        ),
        content.write,
        ...listedWrites(after),
        ...usageWrites([{ ...holder, name: "packages", bytes: sizeBytes }]),
      ],
      after: () => noteDeltaWrite(this.#forge, packageIndex(this.#owner.id)),
    };
  }

  async #newIds() {
    this.#ids ??= await this.#takeIds();
    return this.#ids;
  }

  async #takeIds() {
    const { table } = this.#forge;
    const [number, packageId] = await Promise.all([
      nextPackageNumber(table, this.#owner.id),
      nextId(table, "package"),
    ]);
    if (number >= numbersPerOwner) {
      throw unprocessable(`an owner has at most ${numbersPerOwner - 1} versions of packages, ever`);
    }
    return { number, packageId };
  }

  async #version(found: Package | undefined): Promise<PackageVersion> {
    const { type, name, version, metadata, file } = this.#given;
    const ids = await this.#newIds();
    const packageId = found?.id ?? ids.packageId;
    return {
      ...versionKey(packageId, version),
      id: packageVersionId(this.#owner.id, ids.number),
      ...{ number: ids.number, packageId, ownerId: this.#owner.id, type, name: found?.name ?? name, version },
      ...{ creatorId: this.#actor.user.id, createdAt: nowSeconds(this.#forge.clock) },
      ...{ files: 1, bytes: file.content.sizeBytes, downloads: 0, v: 1, _v: 1 },
      ...defined({ metadata }),
    };
  }

  async #file({ packageId, number }: PackageVersion, object: string): Promise<PackageFile> {
    const { fileName, file } = this.#given;
    this.#fileId ??= await nextId(this.#forge.table, "package-file");
    return {
      ...fileKey(packageId, number, fileName),
      ...{ id: this.#fileId, ownerId: this.#owner.id, packageId, number, name: fileName, object },
      ...{ sizeBytes: file.content.sizeBytes, ...file.hashes },
      ...{ createdAt: nowSeconds(this.#forge.clock), _v: 1 },
    };
  }

  #readme({ packageId, number }: PackageVersion): Write[] {
    const { readme = "" } = this.#given;
    if (readme === "") return [];
    return [put({ ...readmeKey(packageId, number), number, text: readme, _v: 1 } satisfies PackageReadme)];
  }

  /** Publishers who move no tags don't wait for each other. */
  #packageWrites(found: Package | undefined, { packageId, name, version, bytes, createdAt }: PackageVersion) {
    const { type, tags: given = [], repositoryId } = this.#given;
    const moved = Object.fromEntries(given.map((tag) => [tag, version]));
    const key = packageKey(this.#owner.id, type, name);
    if (found !== undefined) {
      const tags = { ...found.tags, ...moved };
      requireTagRoom(tags);
      const isSame = { id: found.id, repositoryId: found.repositoryId };
      const add = { versions: 1, bytes, v: 1 };
      return given.length === 0
        ? [update(key, { add }, equals(isSame))]
        : [update(key, { set: { tags }, add }, equals({ ...isSame, v: found.v }))];
    }
    requireTagRoom(moved);
    const made: Package = {
      ...key,
      ...{ id: packageId, ownerId: this.#owner.id, type, name, tags: moved },
      ...{ versions: 1, bytes, createdAt, v: 1, _v: 1 },
      ...defined({ repositoryId }),
    };
    return [put(made, absent), ...(repositoryId === undefined ? [] : [linkWrite(made, repositoryId)])];
  }
}
