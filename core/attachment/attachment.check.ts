import { type CheckedEntry, entriesIn, entryKind } from "../comment/checked-entries.ts";
import { isOfPresentFormat } from "../data-format.ts";
import type { Forge } from "../forge.ts";
import { type CheckedIssue, issueKind, issuesIn } from "../issue/checked-issues.ts";
import { listDue } from "../jobs/due.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { withTotals } from "../quota/recount.ts";
import { sizedThingFindings } from "../quota/sized-things.check.ts";
import type { Release } from "../release/release.table.ts";
import { cardKey, type RepositoryCard } from "../repository/repository.table.ts";
import { absent, exists } from "../table/condition.ts";
import { check, keyText, put, remove, update } from "../table/write.ts";
import {
  type Attachment,
  type AttachmentAddress,
  addressKey,
  attachmentFile,
  attachmentFiles,
  attachmentKey,
  attachmentsPartition,
} from "./attachment.table.ts";
import {
  attachmentLeavingWrites,
  type FileSweep,
  fileSweepKind,
  type LeftSweep,
  leftSweepKind,
  sweepFileLater,
  uploadGraceMs,
} from "./write.ts";

const addressKind = "UUID#<uuid> / #";

/** Which attachments issues, comments and releases name, and which item does. */
function namedIn(facts: RepositoryFacts): Map<number, string> {
  const holders: readonly (CheckedIssue | CheckedEntry | Release)[] = [
    ...issuesIn(facts).values(),
    ...entriesIn(facts),
    ...facts.released.releases,
  ];
  return new Map(
    holders.flatMap((item) => [...(item.attachmentIds ?? [])].map((id) => [id, shownKey(item)] as const)),
  );
}

/** Invariants 18, 21, 31 and 43, of the attachments of one repository. */
async function checkAttachments(forge: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const { repository } = facts;
  const attachmentIds = namedIn(facts);
  const attachments = await forge.table.queryAll<Attachment>({ pk: attachmentsPartition(repository.id) });
  const there = new Set(attachments.map(({ id }) => id));
  const missing = [...attachmentIds].filter(([id]) => !there.has(id));
  return [
    ...(await checkSums(forge, facts, attachments)),
    ...(await checkFiles(forge, facts, attachments)),
    ...(await checkNamed(forge, facts, attachments)),
    ...(await checkListed(forge, repository.id, attachments)),
    ...missing.map(([id, key]) => ({
      invariant: 31,
      key,
      problem: `names attachment ${id}, which is not there`,
      remedy: "shows one file less; upload it again",
    })),
  ];
}

/** Invariant 43: each is listed by its size. */
async function checkListed(
  forge: Forge,
  repositoryId: number,
  attachments: readonly Attachment[],
): Promise<Finding[]> {
  if (!(await isOfPresentFormat(forge.table))) return [];
  const things = attachments.map((one) => ({ id: one.id, sizeBytes: one.sizeBytes, item: one }));
  return sizedThingFindings(forge, repositoryId, "attachments", things);
}

/** Attachments that nothing names, except those that the next tick removes; and attachments without an address. */
async function checkNamed(
  forge: Forge,
  facts: RepositoryFacts,
  attachments: readonly Attachment[],
): Promise<Finding[]> {
  if (attachments.length === 0) return [];
  const { repository } = facts;
  const attachmentIds = namedIn(facts);
  const due = await listDue<LeftSweep>(forge, leftSweepKind);
  const left = new Set(due.filter((one) => one.repositoryId === repository.id).flatMap(({ ids }) => ids));
  const addresses = await forge.table.getAll<AttachmentAddress>(
    attachments.map(({ uuid }) => addressKey(uuid)),
  );
  return attachments.flatMap((attachment): Finding[] => {
    const { id, uuid } = attachment;
    const key = shownKey(attachment);
    const address = addresses.get(keyText(addressKey(uuid)));
    const restored: AttachmentAddress = { ...addressKey(uuid), repositoryId: repository.id, id, _v: 1 };
    const findings: Finding[] = [];
    if (!attachmentIds.has(id) && !left.has(id)) {
      const repair = async ({ table }: Forge) =>
        (
          await table.transact([
            check(attachment, exists),
            ...attachmentLeavingWrites(forge, repository.id, [id]),
          ])
        ).committed;
      const problem = "is named by nothing, and no sweep is to look at it";
      findings.push({ invariant: 31, key, problem, remedy: "has it removed", repair });
    }
    if (address?.id !== id) {
      const repair = mending([check(attachment, exists)], put(restored, asRead(address)));
      findings.push({
        invariant: 31,
        key,
        problem: "has no address that leads to it",
        remedy: "writes it",
        repair,
      });
    }
    return findings;
  });
}

/** Invariant 18: the card counts the attachments and their bytes. */
async function checkSums(
  forge: Forge,
  { repository: { id, ownerId, state }, released }: RepositoryFacts,
  attachments: readonly Attachment[],
): Promise<Finding[]> {
  const key = cardKey(ownerId, id);
  const card = await forge.table.get<RepositoryCard>(key);
  if (card === undefined || state !== "live") return [];
  const onIssues = attachments.filter(({ target }) => target.kind === "issue");
  // Those that a removed release has left are out of the sums already.
  const assetIds = new Set(released.releases.flatMap(({ attachmentIds = [] }) => [...attachmentIds]));
  const assets = attachments.filter((one) => assetIds.has(one.id));
  const sums: CardSums = {
    issueAttachments: onIssues.length,
    issueAttachmentBytes: bytesOf(onIssues),
    releaseAttachments: assets.length,
    releaseAttachmentBytes: bytesOf(assets),
  };
  const names = Object.keys(sums) as (keyof CardSums)[];
  const wrong = names.filter((name) => (card[name] ?? 0) !== sums[name]);
  if (wrong.length === 0) return [];
  const told = wrong.map((name) => `${name} counts ${card[name] ?? 0}, there are ${sums[name]}`);
  return [
    {
      invariant: 18,
      key: shownKey(key),
      problem: told.join("; "),
      remedy: "sets it to what is there",
      repair: withTotals(
        ownerId,
        mending(
          attachments.slice(0, mostChecks).map((one) => check(attachmentKey(id, one.id), exists)),
          update(key, { set: sums, add: { v: 1 } }, asRead(card)),
        ),
      ),
    },
  ];
}

type CardSums = Required<
  Pick<
    RepositoryCard,
    "issueAttachments" | "issueAttachmentBytes" | "releaseAttachments" | "releaseAttachmentBytes"
  >
>;
const bytesOf = (attachments: readonly Attachment[]): number =>
  attachments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** A transaction checks no more; each addition and removal moves the card, which is checked whole. */
const mostChecks = 90;

/** Invariant 21: the files are there, and no others but those that a sweep is to look at, or that are young. */
async function checkFiles(
  forge: Forge,
  { repository: { id } }: RepositoryFacts,
  attachments: readonly Attachment[],
): Promise<Finding[]> {
  const prefix = attachmentFiles(id);
  const listed = new Map<string, number>();
  for await (const { key, modified } of forge.blobs.list(prefix)) listed.set(key, modified.getTime());
  const named = new Set(attachments.map(({ uuid }) => attachmentFile(id, uuid)));
  const oldest = forge.clock.now() - 2 * uploadGraceMs;
  const unnamed = [...listed].filter(([key, modified]) => !named.has(key) && modified < oldest);
  const due = unnamed.length === 0 ? [] : await listDue<FileSweep>(forge, fileSweepKind);
  const noted = new Set(due.map((one) => attachmentFile(one.repositoryId, one.uuid)));
  return [
    ...attachments
      .filter(({ uuid, externalUrl }) => externalUrl === undefined && !listed.has(attachmentFile(id, uuid)))
      .map((attachment) => ({
        invariant: 21,
        key: attachmentFile(id, attachment.uuid),
        problem: `the file of attachment ${attachment.id} is not there`,
        remedy: "nothing derives it: restore it from a backup, or delete the attachment",
      })),
    ...unnamed
      .filter(([key]) => !noted.has(key))
      .map(([key]) => ({
        invariant: 21,
        key,
        problem: "is the file of no attachment, and no sweep is to look at it",
        remedy: "has it removed",
        repair: (on: Forge) =>
          on.table.write(sweepFileLater(on, { repositoryId: id, uuid: key.slice(prefix.length) }, 0)),
      })),
  ];
}

/** Invariant 31: an address leads to an attachment, if it does not await a file. */
async function checkAddresses({ table }: Forge, facts: TableFacts): Promise<Finding[]> {
  const leading = facts
    .all<AttachmentAddress>(addressKind)
    .flatMap((address) =>
      address.id === undefined ? [] : [{ address, to: attachmentKey(address.repositoryId, address.id) }],
    );
  const found = await table.getAll<Attachment>(leading.map(({ to }) => to));
  return leading
    .filter(({ to }) => !found.has(keyText(to)))
    .map(({ address, to }) => ({
      invariant: 31,
      key: shownKey(address),
      problem: `leads to attachment ${address.id}, which is not there`,
      remedy: "removes the address",
      repair: mending([check(to, absent)], remove(address, asRead(address))),
    }));
}

export const attachmentChecks: Checks = {
  reads: [addressKind, issueKind, entryKind],
  table: [checkAddresses],
  live: [checkAttachments],
};
