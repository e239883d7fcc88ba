import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { lastId } from "../ids.ts";
import {
  type EntryKind,
  type EntryLayout,
  flagsAt,
  newRow,
  type Ranking,
  type Row,
} from "../list-index/entry-kind.ts";
import type { Grouping } from "../list-index/groups.ts";
import { ownerIndexPartition } from "../list-index/list-index.table.ts";
import type { ListIndex } from "../list-index/list-index.ts";
import { FlagTest, occursIn, searchText } from "../list-index/packing.ts";
import type { SourceRow } from "../list-index/view.ts";
import { type Organization, organizationEntry } from "../organization/organization.table.ts";
import { type User, userEntry } from "../user/user.table.ts";
import { ownerKey, type Visibility } from "./owner.table.ts";
import {
  decodeOwner,
  encodeOwner,
  type OwnerEntry,
  ownerAt,
  ownerFlags,
  ownerFormat,
  ownerTexts,
  visibilities,
  visibilityCode,
  visibilityFrom,
} from "./owner-entry.ts";

/** A user or organization as a caller's predicate sees it: read from the entry's bytes when asked. Don't keep it. */
export interface OwnerView {
  readonly id: number;
  readonly isOrganization: boolean;
  readonly visibility: Visibility;
}

/** Filters for users and organizations. Absent members filter nothing; all given ones must hold. */
export interface OwnerFilter {
  readonly isOrganization?: boolean;
  /** A part of the login or the full name, in any case. */
  readonly keyword?: string;
  /** The keyword finds these, too: users found by an exact e-mail address. */
  readonly keywordIds?: ReadonlySet<number>;
  readonly ids?: ReadonlySet<number>;
  readonly isActive?: boolean;
  readonly isAdmin?: boolean;
  readonly isRestricted?: boolean;
  readonly isLoginProhibited?: boolean;
  readonly isBot?: boolean;
  readonly visibility?: Visibility;
  readonly loginSourceId?: number;
  /** The whole name at the login source, in any case. */
  readonly loginName?: string;
  /** Whether the caller may see it, and any other condition that only the caller knows. */
  readonly accepts?: (user: OwnerView) => boolean;
}

/** The orders of the API family; by name when none is asked for. */
export type OwnerOrder =
  | "alphabetically"
  | "reversealphabetically"
  | "newest"
  | "oldest"
  | "recentupdate"
  | "leastupdate"
  | "id";

/** An order. */
export interface OwnerSort {
  readonly by: OwnerOrder;
}

/** The list index of all users and organizations of the instance, by id. */
export const ownerIndex: ListIndex<OwnerEntry, OwnerFilter, OwnerSort> = {
  name: "users-0",
  partition: ownerIndexPartition,
  get layout() {
    return layout;
  },
  get kind() {
    return ownerKind;
  },
  source: {
    lastId: ({ table }) => lastId(table, "owner"),
    itemKey: ownerKey,
    read: readSource,
  },
};

const layout: EntryLayout = {
  span: 512,
  format: ownerFormat,
  length: (bytes, at) => ownerTexts(bytes, at).end - at,
  versionAt: ownerAt.version,
};

const ownerKind: EntryKind<OwnerEntry, OwnerFilter, OwnerSort> = {
  layout,
  encode: encodeOwner,
  decode: decodeOwner,
  matcher,
  ranking: ({ by }) => rankings[by],
  needs: ({ ids }) => defined({ ids }),
};

/** The group of the users, or of the organizations, of this visibility. */
export const visibilityGroup = (isOrganization: boolean, visibility: Visibility): number =>
  visibilityCode(visibility) + (isOrganization ? visibilities.length : 0);

/** Groups users and organizations by who may know of them: public users are in group 0. */
export const byVisibility: Grouping = {
  name: "visibility",
  groupOf({ bytes, at }) {
    const isOrganization = (bytes.readUInt8(at + flagsAt) & ownerFlags.organization) !== 0;
    return visibilityGroup(isOrganization, visibilityFrom(bytes.readUInt8(at + ownerAt.visibility)));
  },
};

async function readSource({ table }: Forge, first: number, end: number): Promise<SourceRow[]> {
  const keys = Array.from({ length: end - first }, (_, at) => ownerKey(first + at));
  const found = [...(await table.getAll<User | Organization>(keys)).values()];
  return found
    .map((owner) => {
      const entry = owner.kind === "organization" ? organizationEntry(owner) : userEntry(owner);
      return { id: owner.id, bytes: encodeOwner(entry, owner.v) };
    })
    .sort((one, other) => one.id - other.id);
}

function matcher(filter: OwnerFilter): (row: Row) => boolean {
  const flags = new FlagTest()
    .require(ownerFlags.organization, filter.isOrganization)
    .require(ownerFlags.active, filter.isActive)
    .require(ownerFlags.admin, filter.isAdmin)
    .require(ownerFlags.restricted, filter.isRestricted)
    .require(ownerFlags.loginProhibited, filter.isLoginProhibited)
    .require(ownerFlags.bot, filter.isBot);
  const { ids, visibility, loginSourceId, accepts } = filter;
  const hasKeyword = keywordTest(filter);
  const hasLoginName = loginNameTest(filter.loginName);
  const view = new EntryView();
  return (row) => {
    const { id, bytes, at } = row;
    if (!flags.holds(bytes.readUInt8(at + flagsAt))) return false;
    if (ids !== undefined && !ids.has(id)) return false;
    if (loginSourceId !== undefined && bytes.readUInt32BE(at + ownerAt.loginSource) !== loginSourceId)
      return false;
    view.row = row;
    if (visibility !== undefined && view.visibility !== visibility) return false;
    return hasKeyword(row) && hasLoginName(row) && (accepts === undefined || accepts(view));
  };
}

function keywordTest({ keyword = "", keywordIds }: OwnerFilter): (row: Row) => boolean {
  if (keyword === "") return () => true;
  const needle = searchText(keyword, Number.POSITIVE_INFINITY);
  return ({ id, bytes, at }) => {
    if (keywordIds?.has(id) === true) return true;
    const { fullName, loginName } = ownerTexts(bytes, at);
    return (
      occursIn(bytes, at + ownerAt.name, fullName, needle) || occursIn(bytes, fullName, loginName, needle)
    );
  };
}

function loginNameTest(wanted: string | undefined): (row: Row) => boolean {
  if (wanted === undefined) return () => true;
  const needle = searchText(wanted, Number.POSITIVE_INFINITY);
  return ({ bytes, at }) => {
    const { loginName, end } = ownerTexts(bytes, at);
    return end - loginName === needle.length && occursIn(bytes, loginName, end, needle);
  };
}

class EntryView implements OwnerView {
  row: Row = newRow();

  get id(): number {
    return this.row.id;
  }
  get isOrganization(): boolean {
    return (this.row.bytes.readUInt8(this.row.at + flagsAt) & ownerFlags.organization) !== 0;
  }
  get visibility(): Visibility {
    return visibilityFrom(this.row.bytes.readUInt8(this.row.at + ownerAt.visibility));
  }
}

const name: Ranking["key"] = ({ bytes, at }) =>
  bytes.toString("utf8", at + ownerAt.name, at + ownerAt.name + bytes.readUInt8(at + ownerAt.nameLength));
const created: Ranking["key"] = ({ bytes, at }) => bytes.readUInt32BE(at + ownerAt.created);
const updated: Ranking["key"] = ({ bytes, at }) => bytes.readUInt32BE(at + ownerAt.updated);

const rankings: Readonly<Record<OwnerOrder, Ranking>> = {
  alphabetically: { key: name, isDescending: false, ties: "oldest" },
  reversealphabetically: { key: name, isDescending: true, ties: "newest" },
  newest: { key: created, isDescending: true, ties: "newest" },
  oldest: { key: created, isDescending: false, ties: "oldest" },
  recentupdate: { key: updated, isDescending: true, ties: "newest" },
  leastupdate: { key: updated, isDescending: false, ties: "oldest" },
  id: { key: (row) => row.id, isDescending: false, ties: "oldest", isById: true },
};
