import type { AttachmentAddress } from "../attachment/attachment.table.ts";
import { type Block, type BlockMirror, blockPrefix } from "../block/block.table.ts";
import type { CollaboratorMirror } from "../collaborator/collaborator.table.ts";
import { defined } from "../defined.ts";
import type { DeployKey } from "../deploy-key/deploy-key.table.ts";
import type { Follow } from "../follow/follow.table.ts";
import type { Forge } from "../forge.ts";
import { type GpgKey, type GpgKeyGuard, gpgKeyPrefix } from "../gpg-key/gpg-key.table.ts";
import { type Job, jobPartition, jobParts } from "../jobs/job.table.ts";
import { isMark, type Mark } from "../mark/mark.table.ts";
import type { Organization } from "../organization/organization.table.ts";
import type { NameGuard } from "../owner/owner.table.ts";
import { type KeyGuard, keyPrefix, type PublicKey } from "../public-key/public-key.table.ts";
import {
  cardPrefix,
  repositoryNamePrefix as namePrefix,
  type Repository,
  type RepositoryCard,
  type RepositoryNameGuard,
} from "../repository/repository.table.ts";
import { type Stopwatch, stopwatchSortKey } from "../stopwatch/stopwatch.table.ts";
import { type Item, keyText, type TableKey } from "../table/write.ts";
import {
  type Membership,
  type MembershipMirror,
  type Team,
  type TeamMember,
  type TeamRepository,
  teamMemberPrefix,
  teamRepositoryPrefix,
} from "../team/team.table.ts";
import type { Token, TokenGuard } from "../token/token.table.ts";
import type { EmailAddress, EmailGuard, EmailListing, User } from "../user/user.table.ts";
import { type CounterFacts, noteId } from "./counters.ts";
import { type Finding, shownKey } from "./finding.ts";
import type { KeyFacts } from "./keys.ts";

/**
 * The result of one reading of the whole table: the facts for checks across repositories, and the repositories' ids.
 */
export interface TableFacts extends KeyFacts, CounterFacts {
  readonly owners: Map<number, User | Organization>;
  readonly nameGuards: NameGuard[];
  readonly emails: EmailAddress[];
  readonly emailGuards: EmailGuard[];
  readonly emailListings: EmailListing[];
  readonly tokens: Token[];
  readonly tokenGuards: TokenGuard[];
  readonly memberships: Membership[];
  readonly membershipMirrors: MembershipMirror[];
  readonly teams: Map<number, Team>;
  readonly teamMembers: TeamMember[];
  readonly teamRepositories: TeamRepository[];
  /** Keys, in the form of `keyText`. */
  readonly collaborators: Set<string>;
  readonly collaboratorMirrors: CollaboratorMirror[];
  /** Keys of stars and watches at repositories. */
  readonly marks: Set<string>;
  readonly markMirrors: Mark[];
  readonly follows: Follow[];
  readonly followers: Follow[];
  readonly blocks: Block[];
  readonly blockMirrors: BlockMirror[];
  readonly stopwatches: Stopwatch[];
  readonly addresses: AttachmentAddress[];
  readonly administrators: Set<number>;
  readonly jobs: Job[];
  readonly outbox: Item[];
  /** Repositories that have an item of their own, whatever its state. */
  readonly repositoryIds: Set<number>;
  /** Of those, what says where their name and their card lie. */
  readonly placed: Map<number, PlacedRepository>;
  /** Names and cards of repositories, at their owners'. */
  readonly repositoryNames: RepositoryNameGuard[];
  readonly cards: RepositoryCard[];
  /** Under which ids the git data of wikis lies. */
  readonly wikiIds: Set<number>;
  /** Repositories of which there is anything else. */
  readonly mentionedIds: Set<number>;
  /** Pictures, and what they are of. */
  readonly pictures: { readonly of: TableKey; readonly hash: string }[];
  /** Items that are wrong by themselves. */
  readonly findings: Finding[];
}

/** The members of a repository that determine its name and its card. */
export type PlacedRepository = Pick<Repository, "ownerId" | "name" | "state" | "teamIds">;

const scanParts = 4;

/** Reads the table through, in four parts side by side. */
export async function readTableFacts(forge: Forge): Promise<TableFacts> {
  const facts: TableFacts = {
    owners: new Map(),
    nameGuards: [],
    emails: [],
    emailGuards: [],
    emailListings: [],
    tokens: [],
    tokenGuards: [],
    publicKeys: [],
    deployKeys: [],
    keyGuards: [],
    gpgKeys: [],
    gpgKeyGuards: [],
    memberships: [],
    membershipMirrors: [],
    teams: new Map(),
    teamMembers: [],
    teamRepositories: [],
    collaborators: new Set(),
    collaboratorMirrors: [],
    marks: new Set(),
    markMirrors: [],
    follows: [],
    followers: [],
    blocks: [],
    blockMirrors: [],
    stopwatches: [],
    addresses: [],
    administrators: new Set(),
    jobs: [],
    outbox: [],
    repositoryIds: new Set(),
    wikiIds: new Set(),
    placed: new Map(),
    repositoryNames: [],
    cards: [],
    mentionedIds: new Set(),
    counters: new Map(),
    greatestIds: new Map(),
    pictures: [],
    findings: [],
  };
  await Promise.all(
    Array.from({ length: scanParts }, async (_, segment) => {
      for await (const items of forge.table.scan({ segment, of: scanParts })) {
        for (const item of items) note(facts, item);
      }
    }),
  );
  return facts;
}

type Note = (facts: TableFacts, item: Item) => void;

const jobPartitions = new Set(Array.from({ length: jobParts }, (_, part) => jobPartition(part)));

/** What to note of an item, by the first part of its partition. */
const notes: Readonly<Record<string, Note>> = {
  NAME: ({ nameGuards }, item) => nameGuards.push(item as NameGuard),
  EMAIL: ({ emailGuards }, item) => emailGuards.push(item as EmailGuard),
  EMAILS: ({ emailListings }, item) => emailListings.push(item as EmailListing),
  TOK: ({ tokenGuards }, item) => tokenGuards.push(item as TokenGuard),
  FP: ({ keyGuards }, item) => keyGuards.push(item as KeyGuard),
  GPGID: ({ gpgKeyGuards }, item) => gpgKeyGuards.push(item as GpgKeyGuard),
  UUID: ({ addresses }, item) => addresses.push(item as AttachmentAddress),
  X: ({ outbox }, item) => outbox.push(item),
  O: ({ owners, memberships, teams, blocks, repositoryNames, cards }, item) => {
    if (item.sk === "#") owners.set(Number(item.id), item as User | Organization);
    if (item.sk.startsWith("MEM#")) memberships.push(item as Membership);
    if (item.sk.startsWith(blockPrefix)) blocks.push(item as Block);
    if (item.sk.startsWith("TEAM#")) teams.set(Number(item.id), item as Team);
    if (item.sk.startsWith(namePrefix)) repositoryNames.push(item as RepositoryNameGuard);
    if (item.sk.startsWith(cardPrefix)) cards.push(item as RepositoryCard);
  },
  TEAM: ({ teamMembers, teamRepositories }, item) => {
    if (item.sk.startsWith(teamMemberPrefix)) teamMembers.push(item as TeamMember);
    if (item.sk.startsWith(teamRepositoryPrefix)) teamRepositories.push(item as TeamRepository);
  },
  U: (
    {
      emails,
      tokens,
      publicKeys,
      gpgKeys,
      membershipMirrors,
      collaboratorMirrors,
      blockMirrors,
      follows,
      followers,
      markMirrors,
      stopwatches,
    },
    item,
  ) => {
    if (item.pk.split("#").length > 2) return; // beside the user's own partition
    if (item.sk.startsWith("EM#")) emails.push(item as EmailAddress);
    if (item.sk.startsWith("TOK#")) tokens.push(item as Token);
    if (item.sk.startsWith(keyPrefix)) publicKeys.push(item as PublicKey);
    if (item.sk.startsWith(gpgKeyPrefix)) {
      const { id, userId, signingKeyIds } = item as GpgKey;
      gpgKeys.push({ id, userId, signingKeyIds });
    }
    if (isMark(item)) markMirrors.push(item as Mark);
    if (item.sk.startsWith("ORG#")) membershipMirrors.push(item as MembershipMirror);
    if (item.sk.startsWith("FOL#")) follows.push(item as Follow);
    if (item.sk.startsWith("FOLLOWER#")) followers.push(item as Follow);
    if (item.sk.startsWith("BLOCKEDBY#")) blockMirrors.push(item as BlockMirror);
    if (item.sk === stopwatchSortKey) stopwatches.push(item as Stopwatch);
    if (item.sk.startsWith("COLL#")) collaboratorMirrors.push(item as CollaboratorMirror);
  },
  SYS: ({ administrators }, item) => {
    if (item.sk !== "ADMINS" || !(item.ids instanceof Set)) return;
    for (const id of item.ids) administrators.add(Number(id));
  },
  JOB: ({ jobs }, item) => {
    if (jobPartitions.has(item.pk)) jobs.push(item as Job);
  },
  R: (
    { repositoryIds, wikiIds, placed, mentionedIds, collaborators, deployKeys, marks, greatestIds },
    item,
  ) => {
    const [, part, beside] = item.pk.split("#");
    const id = Number(part);
    if (beside === undefined && item.sk.startsWith("C#")) collaborators.add(keyText(item));
    if (beside === undefined && isMark(item)) marks.add(keyText(item));
    if (beside === undefined && item.sk.startsWith(keyPrefix)) deployKeys.push(item as DeployKey);
    (item.sk === "META" ? repositoryIds : mentionedIds).add(id);
    if (item.sk !== "META") return;
    const { ownerId, name, state, teamIds, wikiId = 0 } = item as Repository;
    if (wikiId > 0) wikiIds.add(wikiId);
    greatestIds.set("repository", Math.max(greatestIds.get("repository") ?? 0, wikiId));
    placed.set(id, { ownerId, name, state, ...defined({ teamIds }) });
  },
  I: ({ mentionedIds }, item) => void mentionedIds.add(Number(item.pk.slice("I#".length).split(".")[0])),
};

function note(facts: TableFacts, item: Item): void {
  const kind = item.pk.split("#")[0] ?? "";
  if (Object.hasOwn(notes, kind)) notes[kind]?.(facts, item);
  noteId(facts, item, kind);
  const { pk, sk, avatar } = item;
  if (typeof avatar === "string" && avatar !== "") facts.pictures.push({ of: { pk, sk }, hash: avatar });
  facts.findings.push(...shapeFindings(item, kind));
}

const largestBytes = 200_000;
/** Names and bytes of attributes, about as DynamoDB counts them: only of what could be too large. */
const sizeOf = (item: Item): number =>
  Object.entries(item).reduce(
    (sum, [name, value]) =>
      sum +
      name.length +
      (typeof value === "string"
        ? Buffer.byteLength(value)
        : value instanceof Uint8Array
          ? value.length
          : (JSON.stringify(value)?.length ?? 0)),
    0,
  );

/** Counters and sets, of which each write knows one attribute. */
const versionless = new Set(["SEQ", "SYS"]);

/** Chunks of a push log, by sort key; ROOT holds a manifest that may be long. */
const largeOfGit = /^(L#|C#|ROOT$)/;

/** Invariant 22: no item is larger than 200 KB but ROOT and the chunks of a push log, and each says the version of its shape. */
function shapeFindings(item: Item, kind: string): Finding[] {
  const key = shownKey(item);
  const findings: Finding[] = [];
  if (item._v === undefined && !versionless.has(kind)) {
    const remedy = "written by a program that is not ours, or an older one: look at it";
    findings.push({ invariant: 22, key, problem: "has no version of its shape", remedy });
  }
  const isLarge = item.pk.endsWith("#G") && largeOfGit.test(item.sk);
  if (!isLarge && sizeOf(item) > largestBytes) {
    findings.push({ invariant: 22, key, problem: "is larger than 200 KB", remedy: "shorten its text" });
  }
  return findings;
}
