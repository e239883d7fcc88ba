import { isKnown } from "../access/acquaintance.ts";
import { accessMode, modeOf, type UnitName } from "../access/modes.ts";
import { isHiddenFromToken } from "../access/public-only.ts";
import { findAccessesById, type RepositoryAccess } from "../access/repository-access.ts";
import { maySeeUser } from "../access/visibility.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { findUsersById } from "../user/find.ts";
import { findSystemUser } from "../user/system-users.ts";
import type { User } from "../user/user.table.ts";
import type { Activity } from "./activity.table.ts";

/** Whether the caller may know what a user does: hidden activity is for the user and administrators (semantics §67.2). */
export const mayKnowActivityOf = (actor: Actor | undefined, user: User): boolean =>
  user.isActivityHidden !== true || actor?.user.id === user.id || actor?.user.isAdmin === true;

/** Rights of so many repositories are read in two requests. */
const repositoriesAtOnce = 30;
const mostRepositories = 300;
/** Read by hundreds: 20 requests. */
const mostUsers = 2_000;
/** Private users whose acquaintance with the caller is looked up, in four requests each. */
const mostPrivateUsers = 20;

/** The repositories that activities are in and the users who acted, as far as the caller may know of them now. */
export class Readers {
  readonly #forge: Forge;
  readonly #actor: Actor | undefined;
  readonly #accesses = new Map<number, RepositoryAccess | undefined>();
  readonly #doers = new Map<number, User | undefined>();
  #privateUsers = 0;
  #isFull = false;

  constructor(forge: Forge, actor: Actor | undefined, known: readonly RepositoryAccess[] = []) {
    this.#forge = forge;
    this.#actor = actor;
    for (const access of known) this.#accesses.set(access.repository.id, access);
  }

  /** Reads what is not known yet of these: of 300 repositories and 2,000 users in all, the first ones. */
  async meet(activities: readonly Pick<Activity, "repositoryId" | "actorId">[]): Promise<void> {
    const unknown = activities
      .map(({ repositoryId }) => repositoryId)
      .filter((id) => !this.#accesses.has(id));
    const ids = [...new Set(unknown)];
    const met = ids.slice(0, Math.max(0, mostRepositories - this.#accesses.size));
    if (met.length < ids.length) this.#isFull = true;
    await Promise.all([
      this.#meetRepositories(met),
      this.#meetUsers(activities.map(({ actorId }) => actorId)),
    ]);
  }

  /** Some repositories or users were too many, and count as hidden. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** The repository, if the caller may see it, and may read this unit of it. */
  accessTo(repositoryId: number, unit: UnitName | undefined): RepositoryAccess | undefined {
    const access = this.#accesses.get(repositoryId);
    const isReadable =
      access !== undefined && (unit === undefined || modeOf(access.rights, unit) >= accessMode.read);
    return isReadable ? access : undefined;
  }

  /** The user, if the caller may know of them and of what they do. */
  doer(userId: number): User | undefined {
    return findSystemUser(userId) ?? this.#doers.get(userId);
  }

  async #meetRepositories(ids: readonly number[]): Promise<void> {
    for (let at = 0; at < ids.length; at += repositoriesAtOnce) {
      const some = ids.slice(at, at + repositoriesAtOnce);
      const found = await findAccessesById(this.#forge, this.#actor, some);
      for (const id of some) {
        const access = found.get(id);
        const isShown = access !== undefined && !isHiddenFromToken(this.#actor, access);
        this.#accesses.set(id, isShown ? access : undefined);
      }
    }
  }

  async #meetUsers(all: readonly number[]): Promise<void> {
    const unknown = [...new Set(all)].filter((id) => id > 0 && !this.#doers.has(id));
    const ids = unknown.slice(0, Math.max(0, mostUsers - this.#doers.size));
    if (ids.length < unknown.length) this.#isFull = true;
    if (ids.length === 0) return;
    const found = await findUsersById(this.#forge, ids);
    await Promise.all(
      ids.map(async (id) => {
        const user = found.get(id);
        const isShown =
          user !== undefined && mayKnowActivityOf(this.#actor, user) && (await this.#isKnown(user));
        this.#doers.set(id, isShown ? user : undefined);
      }),
    );
  }

  async #isKnown(user: User): Promise<boolean> {
    if (maySeeUser(this.#actor, user)) return true;
    this.#privateUsers += 1;
    return this.#privateUsers <= mostPrivateUsers && isKnown(this.#forge, this.#actor, user);
  }
}
