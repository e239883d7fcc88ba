import type { User } from "./user.table.ts";

/** Accounts of nobody: they lie in no table, nobody logs in with them, and no keyword finds them (B-16). */

const nobody: User = {
  pk: "",
  sk: "",
  kind: "user",
  id: 0,
  name: "",
  fullName: "",
  email: "",
  passwordHash: "",
  isAdmin: false,
  isActive: true,
  isRestricted: false,
  isLoginProhibited: true,
  mustChangePassword: false,
  isEmailHidden: true,
  visibility: "public",
  loginSourceId: 0,
  loginName: "",
  location: "",
  website: "",
  pronouns: "",
  description: "",
  language: "",
  repositoryLimit: 0,
  createdAt: 0,
  updatedAt: 0,
  lastLoginAt: 0,
  v: 0,
  _v: 1,
};

/** Stands in for users that are gone. */
export const ghostUser: User = { ...nobody, id: -1, name: "Ghost", email: "ghost@localhost" };

/** The author of the service's own actions for workflows. */
export const actionsUser: User = {
  ...nobody,
  id: -2,
  name: "forgejo-actions",
  fullName: "Forgejo Actions",
  email: "actions@localhost",
};

const systemUsers = [ghostUser, actionsUser];
/** The other family's name of the actions user. */
const alias = "gitea-actions";

/** The system user with this id, or undefined. */
export const findSystemUser = (id: number): User | undefined => systemUsers.find((user) => user.id === id);

/** The system user of this name, whatever its case, or undefined. */
export function findSystemUserByName(name: string): User | undefined {
  const lower = name.toLowerCase();
  if (lower === alias) return actionsUser;
  return systemUsers.find((user) => user.name.toLowerCase() === lower);
}
