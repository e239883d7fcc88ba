import type { OrganizationAccess, TeamAccess } from "#core/access/organization-access";
import type { PackageAccess } from "#core/access/package-access";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import type { Owner } from "#core/owner/owner";
import type { User } from "#core/user/user.table";
import type { z } from "#zod";
import type { Page } from "./answer/paging.ts";
import type { Upload } from "./body/upload.ts";
import type { Needs } from "./needs/needs.ts";
import type { Params } from "./params.ts";

/** The parameters of a query, with what each must be. */
export type Shape = Readonly<Record<string, z.ZodType>>;
type Parsed<S extends Shape | undefined> = S extends Shape ? z.infer<z.ZodObject<S>> : Record<string, never>;

type ActorOf<N extends Needs> = N extends
  | { login: true }
  | { siteAdmin: true }
  | { user: "self-or-admin" }
  | { organization: "member" | "owner" | "owner-or-self" }
  | { team: string }
  | { package: { mode: "write" } }
  ? Actor
  : Actor | undefined;

/** A request as a handler sees it: everything checked and loaded. */
export interface ApiRequest<N extends Needs, Path extends string, Q extends Shape | undefined, B> {
  readonly forge: Forge;
  readonly actor: ActorOf<N>;
  readonly access: N extends { repository: object } ? RepositoryAccess : undefined;
  readonly user: N extends { user: "owner" | "known" }
    ? Owner
    : N extends { user: string }
      ? User
      : undefined;
  readonly organization: N extends { organization: string } ? OrganizationAccess : undefined;
  readonly team: N extends { team: string } ? TeamAccess : undefined;
  readonly packages: N extends { package: object } ? PackageAccess : undefined;
  readonly params: Params<Path>;
  readonly query: Parsed<Q>;
  readonly body: B;
  /** The uploaded file, for operations that take one. */
  readonly upload: Upload;
  readonly page: Page;
  /** The address as the caller sees it: under ROOT_URL, with its query. */
  readonly url: URL;
  /** The address of the caller; empty when unknown. */
  readonly address: string;
  /** Aborted when the caller is gone or the time for an answer is over (D-TIME). */
  readonly signal: AbortSignal;
}

/** The input of `thingRights`: the caller, and the target. */
export type RightsRequest<N extends Needs, Path extends string> = Pick<
  ApiRequest<N, Path, undefined, undefined>,
  "forge" | "actor" | "access" | "organization" | "params"
>;
