import type { Forge } from "../forge.ts";
import { listDue } from "../jobs/due.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { keyText, remove, update } from "../table/write.ts";
import { type ObjectSweep, objectSweepKind, packageUploadGraceMs, sweepObjectLater } from "./contents.ts";
import {
  contentKey,
  type PackageContent,
  type PackageFile,
  type PackageVersion,
  packageObject,
} from "./package.table.ts";

export const contentKind = "O#<owner>#PKG / B#<sha256>";
export const versionKind = "PKG#<package> / V#<version>";
export const fileKind = "PKG#<package> / F#<version>#<file>";

/** Tells a version from a former one of the same name. */
export const placeOf = ({ packageId, number }: Pick<PackageVersion, "packageId" | "number">): string =>
  `${packageId}#${number}`;

/** Invariant 38: the bytes of each file lie where its content says. Files of removed versions wait for their sweep. */
export function checkFileObjects(_: Forge, facts: TableFacts): Finding[] {
  const contents = new Map(facts.all<PackageContent>(contentKind).map((one) => [keyText(one), one.object]));
  const places = new Set(facts.all<PackageVersion>(versionKind).map(placeOf));
  return facts
    .all<PackageFile>(fileKind)
    .filter((file) => places.has(placeOf(file)))
    .filter(({ ownerId, sha256, object }) => contents.get(keyText(contentKey(ownerId, sha256))) !== object)
    .map((file) => ({
      invariant: 38,
      key: shownKey(file),
      problem: `its object ${file.object} is not that of its content`,
      remedy: "nothing says which of them is right: delete the version, and publish it once more",
    }));
}

/** Invariant 11: a content counts the files that have it. */
export function checkContentCounts(_: Forge, facts: TableFacts): Finding[] {
  const files = new Map<string, number>();
  for (const { ownerId, sha256 } of facts.all<PackageFile>(fileKind)) {
    const key = keyText(contentKey(ownerId, sha256));
    files.set(key, (files.get(key) ?? 0) + 1);
  }
  return facts.all<PackageContent>(contentKind).flatMap((content): Finding[] => {
    const counted = files.get(keyText(content)) ?? 0;
    if (counted === content.files) return [];
    const mended =
      counted === 0
        ? remove(content, asRead(content))
        : update(content, { set: { files: counted } }, asRead(content));
    return [
      {
        invariant: 11,
        key: shownKey(content),
        problem: `counts ${content.files} files, ${counted} have it`,
        remedy: counted === 0 ? "removes it" : "counts anew",
        repair: mending([], mended),
      },
    ];
  });
}

/** Invariant 21: contents lie in the bucket, and nothing else that is old and that no sweep is to look at. */
export async function checkContentObjects(forge: Forge, facts: TableFacts): Promise<Finding[]> {
  const contents = facts.all<PackageContent>(contentKind);
  const named = new Map(contents.map((one) => [objectOf(one), one]));
  const listed = new Map<string, number>();
  for await (const { key, modified } of forge.blobs.list("packages/")) listed.set(key, modified.getTime());
  const oldest = forge.clock.now() - 2 * packageUploadGraceMs;
  const unnamed = [...listed].filter(([key, modified]) => !named.has(key) && modified < oldest);
  const due = unnamed.length === 0 ? [] : await listDue<ObjectSweep>(forge, objectSweepKind);
  const noted = new Set(due.map(({ ownerId, object }) => packageObject(ownerId, object)));
  return [
    ...[...named]
      .filter(([key]) => !listed.has(key))
      .map(([key, content]) => ({
        invariant: 21,
        key,
        problem: `the content of ${content.files} files of packages is not there`,
        remedy: "nothing derives it: restore it from a backup, or delete the versions",
      })),
    ...unnamed
      .filter(([key]) => !noted.has(key))
      .map(([key]) => ({
        invariant: 21,
        key,
        problem: "is the content of no file, and no sweep is to look at it",
        remedy: "has it removed",
        repair: (on: Forge) => on.table.write(sweepObjectLater(on, sweepOf(key), 0)),
      })),
  ];
}

const ownerIdOf = ({ pk }: PackageContent): number => Number(pk.split("#")[1]);
const objectOf = (content: PackageContent): string => packageObject(ownerIdOf(content), content.object);

function sweepOf(key: string): ObjectSweep {
  const [, owner = "", object = ""] = key.split("/");
  return { ownerId: Number(owner), sha256: "", object };
}
