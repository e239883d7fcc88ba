/** How much a caller may do (semantics §3.1). The numbers only serve comparison. */
export const accessMode = { none: 0, read: 1, write: 2, admin: 3, owner: 4 } as const;
export type AccessModeName = keyof typeof accessMode;
export type AccessMode = (typeof accessMode)[AccessModeName];

/**
 * The parts of a repository that have rights of their own (semantics §3.2). Their order is fixed, because packed forms
 * rely on it.
 */
export const unitNames = [
  "code",
  "issues",
  "ext_issues",
  "pulls",
  "releases",
  "wiki",
  "ext_wiki",
  "projects",
  "packages",
  "actions",
] as const;
export type UnitName = (typeof unitNames)[number];

/** The name of a unit for clients and settings, such as `repo.code`. */
export type UnitKey = `repo.${UnitName}`;
export const unitKey = (name: UnitName): UnitKey => `repo.${name}`;
export const unitKeys: readonly UnitKey[] = unitNames.map(unitKey);
/** The unit of a key; undefined when the family has no such unit. */
export const unitFrom = (key: string): UnitName | undefined => unitNames.find((one) => unitKey(one) === key);

/** Units as bits. The place in `unitNames` is the unit's bit. */
export const bitsOfUnits = (units: readonly UnitName[]): number =>
  units.reduce((bits, unit) => bits | (1 << unitNames.indexOf(unit)), 0);

/** The rights of a caller on one repository: a base mode, and a mode for each unit that differs from it. */
export interface Rights {
  readonly base: AccessMode;
  /** Absent: every enabled unit has the base mode. */
  readonly units?: Partial<Record<UnitName, AccessMode>>;
  readonly enabledUnits: ReadonlySet<UnitName>;
}

/** The caller's mode on one unit; a disabled unit is none for everybody. */
export function modeOf(rights: Rights, unit: UnitName): AccessMode {
  if (!rights.enabledUnits.has(unit)) return accessMode.none;
  return rights.units === undefined ? rights.base : (rights.units[unit] ?? accessMode.none);
}

/** Whether the caller may know that the repository exists. */
export function hasAccess({ base, units }: Rights): boolean {
  if (units === undefined) return base >= accessMode.read;
  return Object.values(units).some((mode) => mode >= accessMode.read);
}

/** Whether the caller is an administrator of the repository. */
export const isRepositoryAdmin = (rights: Rights): boolean => rights.base >= accessMode.admin;
/** Whether the caller counts as the repository's owner. Members of admin-level teams do (semantics §3.3). */
export const isRepositoryOwner = (rights: Rights): boolean => rights.base >= accessMode.owner;
