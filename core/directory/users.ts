import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { lastId } from "../ids.ts";
import { type Organization, organizationEntry } from "../organization/organization.table.ts";
import { ownerKey, type Visibility } from "../owner/owner.table.ts";
import { type User, userEntry } from "../user/user.table.ts";
import { userDirectoryPartition } from "./directory.table.ts";
import type { Directory } from "./directory.ts";
import { type EntryKind, type EntryLayout, flagsAt, newRow, type Ranking, type Row } from "./entry-kind.ts";
import type { Grouping } from "./internal/groups.ts";
import { FlagTest, occursIn, searchText } from "./internal/packing.ts";
import {
  decodeUser,
  encodeUser,
  type UserEntry,
  userAt,
  userFlags,
  userFormat,
  userTexts,
  visibilities,
  visibilityCode,
  visibilityFrom,
} from "./user-entry.ts";
import type { SourceRow } from "./view.ts";

/** A user or organization as a caller's predicate sees it: read from the entry's bytes when asked. Don't keep it. */
export interface UserView {
  readonly id: number;
  readonly isOrganization: boolean;
  readonly visibility: Visibility;
}

/** Filters for users and organizations. Absent members filter nothing; all given ones must hold. */
export interface UserFilter {
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
  readonly accepts?: (user: UserView) => boolean;
}

/** The orders of the API family; by name when none is asked for. */
export type UserOrder =
  | "alphabetically"
  | "reversealphabetically"
  | "newest"
  | "oldest"
  | "recentupdate"
  | "leastupdate"
  | "id";

/** An order. */
export interface UserSort {
  readonly by: UserOrder;
}

/** The list index of all users and organizations of the instance, by id. */
export const userDirectory: Directory<UserEntry, UserFilter, UserSort> = {
  name: "users-0",
  partition: userDirectoryPartition,
  get layout() {
    return layout;
  },
  get kind() {
    return userKind;
  },
  source: {
    lastId: ({ table }) => lastId(table, "owner"),
    itemKey: ownerKey,
    read: readSource,
  },
};

const layout: EntryLayout = {
  span: 512,
  format: userFormat,
  length: (bytes, at) => userTexts(bytes, at).end - at,
  versionAt: userAt.version,
};

const userKind: EntryKind<UserEntry, UserFilter, UserSort> = {
  layout,
  encode: encodeUser,
  decode: decodeUser,
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
    const isOrganization = (bytes.readUInt8(at + flagsAt) & userFlags.organization) !== 0;
    return visibilityGroup(isOrganization, visibilityFrom(bytes.readUInt8(at + userAt.visibility)));
  },
};

async function readSource({ table }: Forge, first: number, end: number): Promise<SourceRow[]> {
  const keys = Array.from({ length: end - first }, (_, at) => ownerKey(first + at));
  const found = [...(await table.getAll<User | Organization>(keys)).values()];
  return found
    .map((owner) => {
      const entry = owner.kind === "organization" ? organizationEntry(owner) : userEntry(owner);
      return { id: owner.id, bytes: encodeUser(entry, owner.v) };
    })
    .sort((one, other) => one.id - other.id);
}

function matcher(filter: UserFilter): (row: Row) => boolean {
  const flags = new FlagTest()
    .require(userFlags.organization, filter.isOrganization)
    .require(userFlags.active, filter.isActive)
    .require(userFlags.admin, filter.isAdmin)
    .require(userFlags.restricted, filter.isRestricted)
    .require(userFlags.loginProhibited, filter.isLoginProhibited)
    .require(userFlags.bot, filter.isBot);
  const { ids, visibility, loginSourceId, accepts } = filter;
  const hasKeyword = keywordTest(filter);
  const hasLoginName = loginNameTest(filter.loginName);
  const view = new EntryView();
  return (row) => {
    const { id, bytes, at } = row;
    if (!flags.holds(bytes.readUInt8(at + flagsAt))) return false;
    if (ids !== undefined && !ids.has(id)) return false;
    if (loginSourceId !== undefined && bytes.readUInt32BE(at + userAt.loginSource) !== loginSourceId)
      return false;
    view.row = row;
    if (visibility !== undefined && view.visibility !== visibility) return false;
    return hasKeyword(row) && hasLoginName(row) && (accepts === undefined || accepts(view));
  };
}

function keywordTest({ keyword = "", keywordIds }: UserFilter): (row: Row) => boolean {
  if (keyword === "") return () => true;
  const needle = searchText(keyword, Number.POSITIVE_INFINITY);
  return ({ id, bytes, at }) => {
    if (keywordIds?.has(id) === true) return true;
    const { fullName, loginName } = userTexts(bytes, at);
    return (
      occursIn(bytes, at + userAt.name, fullName, needle) || occursIn(bytes, fullName, loginName, needle)
    );
  };
}

function loginNameTest(wanted: string | undefined): (row: Row) => boolean {
  if (wanted === undefined) return () => true;
  const needle = searchText(wanted, Number.POSITIVE_INFINITY);
  return ({ bytes, at }) => {
    const { loginName, end } = userTexts(bytes, at);
    return end - loginName === needle.length && occursIn(bytes, loginName, end, needle);
  };
}

class EntryView implements UserView {
  row: Row = newRow();

  get id(): number {
    return this.row.id;
  }
  get isOrganization(): boolean {
    return (this.row.bytes.readUInt8(this.row.at + flagsAt) & userFlags.organization) !== 0;
  }
  get visibility(): Visibility {
    return visibilityFrom(this.row.bytes.readUInt8(this.row.at + userAt.visibility));
  }
}

const name: Ranking["key"] = ({ bytes, at }) =>
  bytes.toString("utf8", at + userAt.name, at + userAt.name + bytes.readUInt8(at + userAt.nameLength));
const created: Ranking["key"] = ({ bytes, at }) => bytes.readUInt32BE(at + userAt.created);
const updated: Ranking["key"] = ({ bytes, at }) => bytes.readUInt32BE(at + userAt.updated);

const rankings: Readonly<Record<UserOrder, Ranking>> = {
  alphabetically: { key: name, isDescending: false, ties: "oldest" },
  reversealphabetically: { key: name, isDescending: true, ties: "newest" },
  newest: { key: created, isDescending: true, ties: "newest" },
  oldest: { key: created, isDescending: false, ties: "oldest" },
  recentupdate: { key: updated, isDescending: true, ties: "newest" },
  leastupdate: { key: updated, isDescending: false, ties: "oldest" },
  id: { key: (row) => row.id, isDescending: false, ties: "oldest", isById: true },
};
