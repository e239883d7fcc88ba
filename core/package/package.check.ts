import type { Forge } from "../forge.ts";
import { packageSequenceKey } from "../ids.ts";
import { listDue } from "../jobs/due.ts";
import { startJob } from "../jobs/job.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { checkCounter } from "../lifecycle/check/counters.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, type Item, keyText, put, remove, update } from "../table/write.ts";
import {
  checkContentCounts,
  checkContentObjects,
  checkFileObjects,
  contentKind,
  fileKind,
  placeOf,
  versionKind,
} from "./contents.check.ts";
import { filesLeavingWrite, type LeftFiles, leftFilesKind } from "./left-files.ts";
import { linkWrite, type PackageLink } from "./link.ts";
import {
  type LeavingPackage,
  type ListedVersion,
  leavingPackageKey,
  listedVersionKey,
  type Package,
  type PackageFile,
  type PackageVersion,
  packageLinkKey,
  versionKey,
} from "./package.table.ts";
import { removingPackageKind } from "./remove-package.ts";
import { listedVersionOf } from "./version-writes.ts";

const packageKind = "O#<owner>#PKG / P#<type>#<name>";
const listedKind = "O#<owner>#PKG / N#<version>";
const leavingKind = "O#<owner>#PKG / X#<package>";
const linkKind = "R#<repository> / PKG#<package>";

/** Items by a number of theirs. */
function groupedBy<T extends Item>(items: readonly T[], keyOf: (item: T) => string | number) {
  const groups = new Map<string | number, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** Invariant 11: a package counts its versions and their bytes, a version its files and theirs. */
function checkCounts(_: Forge, facts: TableFacts): Finding[] {
  const versions = groupedBy(facts.all<PackageVersion>(versionKind), ({ packageId }) => packageId);
  const files = groupedBy(facts.all<PackageFile>(fileKind), placeOf);
  const wrong = (item: Package | PackageVersion, counted: Record<string, number>): Finding[] => {
    const names = Object.keys(counted).filter((name) => item[name] !== counted[name]);
    if (names.length === 0) return [];
    const told = names.map((name) => `${name} is ${item[name]}, there are ${counted[name]}`);
    const mended = update(item, { set: counted, add: { v: 1 } }, equals({ id: item.id, v: item.v }));
    return [
      {
        invariant: 11,
        key: shownKey(item),
        problem: told.join("; "),
        remedy: "counts anew",
        repair: mending([], mended),
      },
    ];
  };
  return [
    ...facts.all<Package>(packageKind).flatMap((one) => {
      const own = versions.get(one.id) ?? [];
      return wrong(one, { versions: own.length, bytes: sumOf(own.map(({ bytes }) => bytes)) });
    }),
    ...facts.all<PackageVersion>(versionKind).flatMap((one) => {
      const own = files.get(placeOf(one)) ?? [];
      return wrong(one, { files: own.length, bytes: sumOf(own.map(({ sizeBytes }) => sizeBytes)) });
    }),
  ];
}

/** Invariant 38: a version has its row, and each row leads to a version. */
function checkRows(_: Forge, facts: TableFacts): Finding[] {
  const versions = facts.all<PackageVersion>(versionKind);
  const rows = new Map(facts.all<ListedVersion>(listedKind).map((row) => [keyText(row), row]));
  const byRow = new Map(versions.map((one) => [keyText(listedVersionKey(one.ownerId, one.number)), one]));
  const missing = versions.flatMap((version): Finding[] => {
    const right = listedVersionOf(version);
    const row = rows.get(keyText(right));
    const isSame = row?.v === right.v && row.bytes === right.bytes && row.packageId === right.packageId;
    if (isSame) return [];
    const key = versionKey(version.packageId, version.version);
    return [
      {
        invariant: 38,
        key: shownKey(version),
        problem: "has no row of its owner's that says the same",
        remedy: "writes the row",
        repair: mending(
          [check(key, equals({ number: version.number, v: version.v }))],
          put(right, asRead(row)),
        ),
      },
    ];
  });
  const stray = [...rows.values()]
    .filter((row) => !byRow.has(keyText(row)))
    .map((row) => ({
      invariant: 38,
      key: shownKey(row),
      problem: "leads to a version that is not there",
      remedy: "removes the row",
      repair: mending([], remove(row, asRead(row))),
    }));
  return [...missing, ...stray];
}

/** Invariant 38: a version has its package, unless that is being removed; a file its version, unless it is noted. */
async function checkParents(forge: Forge, facts: TableFacts): Promise<Finding[]> {
  const packageIds = new Set(facts.all<Package>(packageKind).map(({ id }) => id));
  for (const { packageId } of facts.all<LeavingPackage>(leavingKind)) packageIds.add(packageId);
  const versions = facts.all<PackageVersion>(versionKind);
  const orphans = versions.filter(({ packageId }) => !packageIds.has(packageId));
  const places = new Set(versions.map(placeOf));
  const files = groupedBy(
    facts.all<PackageFile>(fileKind).filter((file) => !places.has(placeOf(file))),
    placeOf,
  );
  const due = files.size === 0 ? [] : await listDue<LeftFiles>(forge, leftFilesKind);
  const noted = new Set(due.map(placeOf));
  return [
    ...orphans.map((version) => ({
      invariant: 38,
      key: shownKey(version),
      problem: `its package ${version.packageId} is not there`,
      remedy: "removes the versions of the package",
      repair: (on: Forge) => removeOrphans(on, version),
    })),
    ...[...files].flatMap(([place, [file]]) =>
      file === undefined || noted.has(String(place))
        ? []
        : {
            invariant: 38,
            key: shownKey(file),
            problem: "its version is not there, and no sweep is to look at it",
            remedy: "has the version's files removed",
            repair: (on: Forge) => on.table.write(filesLeavingWrite(on, file)),
          },
    ),
  ];
}

async function removeOrphans(forge: Forge, { ownerId, packageId }: PackageVersion): Promise<boolean> {
  const job = startJob(forge, removingPackageKind, { ownerId, packageId, actorId: 0 });
  const mark: LeavingPackage = { ...leavingPackageKey(ownerId, packageId), packageId, _v: 1 };
  return (await forge.table.transact([put(mark, absent), job.write])).committed;
}

/** Invariant 38: tags lead to versions that are there. */
function checkTags(_: Forge, facts: TableFacts): Finding[] {
  const versions = new Set(facts.all<PackageVersion>(versionKind).map(keyText));
  return facts.all<Package>(packageKind).flatMap((one): Finding[] => {
    const isThere = ([, version]: [string, string]) => versions.has(keyText(versionKey(one.id, version)));
    const tags = Object.entries(one.tags);
    const kept = tags.filter(isThere);
    if (kept.length === tags.length) return [];
    return [
      {
        invariant: 38,
        key: shownKey(one),
        problem: "has tags that lead to versions which are not there",
        remedy: "removes these tags",
        repair: mending(
          [],
          update(one, { set: { tags: Object.fromEntries(kept) }, add: { v: 1 } }, equals({ v: one.v })),
        ),
      },
    ];
  });
}

/** Invariant 38: a linked package has its row at the repository, and each row leads to a package that says so. */
function checkLinks(_: Forge, facts: TableFacts): Finding[] {
  const rows = new Map(facts.all<PackageLink>(linkKind).map((row) => [keyText(row), row]));
  const linked = facts.all<Package>(packageKind).filter(({ repositoryId }) => repositoryId !== undefined);
  const keys = new Set(linked.map(({ id, repositoryId = 0 }) => keyText(packageLinkKey(repositoryId, id))));
  return [
    ...linked
      .filter(({ id, repositoryId = 0 }) => !rows.has(keyText(packageLinkKey(repositoryId, id))))
      .map((one) => ({
        invariant: 38,
        key: shownKey(one),
        problem: `repository ${one.repositoryId} has no row of it`,
        remedy: "writes the row",
        repair: mending([check(one, equals({ v: one.v }))], {
          ...linkWrite(one, one.repositoryId ?? 0),
          when: absent,
        }),
      })),
    ...[...rows.values()]
      .filter((row) => !keys.has(keyText(row)))
      .map((row) => ({
        invariant: 38,
        key: shownKey(row),
        problem: "is the row of a package that is linked elsewhere, or to nothing",
        remedy: "removes the row",
        repair: mending([], remove(row, exists)),
      })),
  ];
}

/** Invariant 9: the counter of an owner's versions has passed every number that was given. */
function checkNumbers(_: Forge, facts: TableFacts): Finding[] {
  const greatest = new Map<number, number>();
  for (const { ownerId, number } of facts.all<PackageVersion>(versionKind)) {
    greatest.set(ownerId, Math.max(greatest.get(ownerId) ?? 0, number));
  }
  return [...greatest].flatMap(([ownerId, number]) => {
    const last = facts.counters.get(`package#${ownerId}`) ?? 0;
    return checkCounter({ key: packageSequenceKey(ownerId), last, greatest: number, thing: "version" });
  });
}

export const packageChecks: Checks = {
  reads: [packageKind, listedKind, leavingKind, versionKind, linkKind, contentKind, fileKind],
  keeps: {
    [versionKind]: (item) => {
      const { metadata: _, ...kept } = item;
      return kept as Item;
    },
  },
  table: [
    checkCounts,
    checkRows,
    checkParents,
    checkTags,
    checkLinks,
    checkNumbers,
    checkFileObjects,
    checkContentCounts,
    checkContentObjects,
  ],
};
