import type { AccessModeName, UnitName } from "#core/access/modes";
import type { ScopeCategory } from "#core/actor";

/**
 * The conditions on a caller before an operation runs. Everything that the access layer and the tests' access matrix
 * know of an operation is here; handlers check no rights.
 */
export interface Needs {
  /** Categories that a token must cover: read for GET and HEAD, write for the rest. */
  readonly scope?: readonly ScopeCategory[];
  /**
   * The address was handed out as the credential: whoever knows it is answered, also by an instance that answers no
   * anonymous callers.
   */
  readonly address?: true;
  /** A signed-in caller (401). */
  readonly login?: true;
  /**
   * Together with `login`: name and password, neither a token nor sudo (403): for operations that protect the account
   * itself. `to-change-it`: open to accounts whose password must be changed before anything else.
   */
  readonly ownPassword?: true | "to-change-it";
  /** For lists of users: 401 for anonymous callers when the instance says so. */
  readonly explore?: true;
  /** A site administrator (401 anonymous, 403 others). */
  readonly siteAdmin?: true;
  /**
   * Loads `{username}`: any user that the caller may see, or only the caller themselves and administrators. `account`:
   * like `visible`, with 422 for an organization's name. `owner`: organizations too. `known`: like `owner`, and system
   * users by their names (B-16).
   */
  readonly user?: "visible" | "self-or-admin" | "account" | "owner" | "known";
  /**
   * Loads `{org}`: any organization that the caller may see, or only one that they are a member or an owner of.
   * `owner-or-self`: `{username}` may call it for themselves, too.
   */
  readonly organization?: "visible" | "member" | "owner" | "owner-or-self";
  /** Loads the team `{id}`: the caller must be its member (or an owner of its organization), or only the latter. */
  readonly team?: "member" | "owner" | "owner-or-self";
  /**
   * Loads `{owner}`, whose packages the caller may read or write. `challenges`: 401 to who may not, because clients of
   * registries send no credentials before they are asked for some (D-CHALLENGE).
   */
  readonly package?: { readonly mode: "read" | "write"; readonly challenges?: true };
  /**
   * Loads `{owner}/{repo}` (or `{id}` when there is no owner) and asks for a mode on the whole of it, or on one of
   * these units. `readsCode`: read rights on the code besides (403).
   */
  readonly repository?: {
    readonly mode: Exclude<AccessModeName, "none">;
    readonly unit?: UnitName | readonly UnitName[];
    readonly readsCode?: true;
  };
}

/** Whether anonymous callers may use an operation, subject to what they may see. */
export const isOpen = (needs: Needs): boolean =>
  needs.login !== true &&
  needs.siteAdmin !== true &&
  needs.user !== "self-or-admin" &&
  (needs.organization ?? "visible") === "visible" &&
  needs.team === undefined &&
  needs.package?.mode !== "write";
