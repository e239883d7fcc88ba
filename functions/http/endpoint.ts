import type { z } from "@hono/zod-openapi";
import type { AccessModeName, UnitName } from "#core/access/modes";
import type { OrganizationAccess, TeamAccess } from "#core/access/organization-access";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor, ScopeCategory } from "#core/actor";
import type { Forge } from "#core/forge";
import type { Owner } from "#core/owner/owner";
import type { Cost } from "#core/rates";
import type { TableKey } from "#core/table/write";
import type { User } from "#core/user/user.table";
import type { FileAnswer } from "./answer/file-answer.ts";
import type { Listing, Page, RowByRow } from "./answer/paging.ts";
import type { Upload } from "./body/upload.ts";

/**
 * The conditions on a caller before an operation runs. Everything that the access layer and the tests' access matrix
 * know of an operation is here; handlers check no rights.
 */
export interface Needs {
  /** Categories that a token must cover: read for GET and HEAD, write for the rest. */
  readonly scope?: readonly ScopeCategory[];
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
  /** 422 instead of 404 when the organization is absent, or hidden from the caller. */
  readonly unknownOrganization?: "invalid";
  /** Loads the team `{id}`: the caller must be its member (or an owner of its organization), or only the latter. */
  readonly team?: "member" | "owner" | "owner-or-self";
  /**
   * Loads `{owner}/{repo}` (or `{id}` when there is no owner) and asks for a mode on the whole of it, or on one of
   * these units.
   */
  readonly repository?: {
    readonly mode: Exclude<AccessModeName, "none">;
    readonly unit?: UnitName | readonly UnitName[];
  };
}

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;
/** Path parameters by name; ids and `index` are whole numbers. */
export type Params<Path extends string> = {
  readonly [Name in Names<Path>]: Name extends "id" | "index" | "attachment_id" ? number : string;
};
const numbers: ReadonlySet<string> = new Set(["id", "index", "attachment_id"]);
/** Whether a path parameter is a whole number. */
export const isNumber = (name: string): boolean => numbers.has(name);

type Shape = Readonly<Record<string, z.ZodType>>;
type Parsed<S extends Shape | undefined> = S extends Shape ? z.infer<z.ZodObject<S>> : Record<string, never>;

type ActorOf<N extends Needs> = N extends
  | { login: true }
  | { siteAdmin: true }
  | { user: "self-or-admin" }
  | { organization: "member" | "owner" | "owner-or-self" }
  | { team: string }
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

/** An answer with headers or a status of its own. */
export class Reply<T> {
  readonly value: T;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(value: T, options: { status?: number; headers?: Record<string, string> } = {}) {
    this.value = value;
    this.status = options.status;
    this.headers = options.headers ?? {};
  }
}

/**
 * The answer of an operation: a JSON value (or, when a query asks for it, a text), a paged list of rows (as a member of
 * that name when one is given; `hasTexts` when each carries long texts of people) or one of them, the same as `{ok,
 * data}`, a text, a file, or nothing.
 */
type Returns =
  | { readonly json: z.ZodType; readonly orText?: true }
  | { readonly list: z.ZodType; readonly under?: string; readonly hasTexts?: true }
  | { readonly oneOrList: z.ZodType }
  | { readonly text: true }
  | { readonly file: true }
  | { readonly search: z.ZodType<{ ok: boolean; data: readonly unknown[] }> }
  | { readonly html: true };
type Answer<R extends Returns | undefined> = R extends { json: z.ZodType<infer T> }
  ? T | (R extends { orText: true } ? Buffer : never)
  : R extends { list: z.ZodType<infer T> }
    ? Listing<T> | RowByRow<T>
    : R extends { search: z.ZodType<{ data: readonly (infer T)[] }> }
      ? Listing<T>
      : R extends { oneOrList: z.ZodType<infer T> }
        ? T | Listing<T>
        : R extends { html: true }
          ? string
          : R extends { text: true }
            ? string | Buffer
            : R extends { file: true }
              ? FileAnswer
              : undefined;

/** The kinds that a call may count as. */
type CallCost = Extract<Cost, "light" | "heavy" | "password">;

export type Method = "get" | "post" | "put" | "patch" | "delete";
export type Tag = "admin" | "miscellaneous" | "organization" | "repository" | "issue" | "settings" | "user";

/** One operation, as a noun's `endpoints.ts` writes it. */
export interface EndpointSpec<
  N extends Needs,
  Path extends string,
  Q extends Shape | undefined,
  B extends z.ZodType | undefined,
  R extends Returns | undefined,
> {
  /** Unique: the service document's id when it names the operation, else the compatible family's (D-OPIDS). */
  readonly id: string;
  /** The family's id of the operation when this one differs: noted in the documents (D-OPIDS). */
  readonly originalId?: string;
  readonly tag: Tag;
  readonly method: Method;
  /** As documented: `{name}` for parameters. */
  readonly path: Path;
  readonly summary: string;
  readonly description?: string;
  /**
   * The kind that a call counts as, for operations that may cost much (D-RATE), possibly by its query; light when
   * absent.
   */
  readonly cost?: CallCost | ((query: URLSearchParams) => CallCost);
  readonly needs: N;
  /** 423 when the repository is archived (semantics §1.8, D-ARCHIVED): what changes its code, issues or talks. */
  readonly refusesArchived?: true;
  /** The parameter that may hold slashes, so it takes the rest of the path, or a middle part of it (D-RAWPATH). */
  readonly slashed?: Names<Path>;
  /** The slashed parameter may be left out with its slash: it is empty then. */
  readonly isSlashedOptional?: true;
  /** The parameter that arrives as it was sent, percent-encoded: its names have an encoding of their own. */
  readonly asSent?: Names<Path>;
  /** The parameter that is documented as the integer `id`; a name is accepted as well (D-IDS). */
  readonly namedId?: Names<Path>;
  /** The service document's names of path parameters that differ here: noted in the documents (D-PARAMS). */
  readonly originalNames?: Readonly<Partial<Record<Names<Path>, string>>>;
  readonly query?: Q;
  readonly body?: B;
  /** A body that is plain text instead of JSON. */
  readonly bodyType?: "application/json" | "text/plain";
  /** 422 without a body, instead of reading an empty object. */
  readonly requiresBody?: true;
  readonly bodyBytes?: number;
  /**
   * The handler reads the body as it comes, however large and long: a form that holds a file, or only its bytes.
   * Documented by media type.
   */
  readonly takesFile?: Readonly<Record<string, z.ZodType>>;
  /**
   * The keys that the handler will read first of the repository: they are read together with the caller and their
   * rights when this process knows the repository by its names. The handler gets the items after the rights were
   * checked, once, and not after its first write.
   */
  readonly readsAhead?: (repositoryId: number, params: Params<Path>) => readonly TableKey[];
  readonly status: number;
  /** Another success of the same form, for a `Reply` to give. */
  readonly otherStatus?: number;
  /** A success of another form, or without a body, which a `Reply` gives. */
  readonly otherReturns?: { readonly status: number; readonly json: z.ZodType } | { readonly status: 204 };
  readonly returns?: R;
  /** Documented refusals of this operation, beside those that follow from its needs and inputs. */
  readonly errors: readonly number[];
  /** The answer holds a secret: never stored by anyone (D-CACHE). */
  readonly isSecret?: true;
  /**
   * Throws the refusal of a caller without rights on the thing itself, such as one who is neither its author nor a
   * writer. Called only when query or body are invalid, because refusals of rights come before those (semantics §1.7);
   * for valid requests the handler's verb refuses.
   */
  readonly thingRights?: (request: RightsRequest<N, Path>) => Promise<unknown>;
  /** Refusals of the rights check have no body, as on a few operations of the family. */
  readonly hasBareRefusal?: true;
  /** The body is read before the rights are checked: its faults are reported first (D-ORDER-OF-CHECKS). */
  readonly isBodyFirst?: true;
  /** A question answered by the status alone: 404 without a body means no (D-CHECK). */
  readonly isCheck?: true;
  readonly isDeprecated?: true;
  readonly handle: (
    request: ApiRequest<N, Path, Q, B extends z.ZodType ? z.infer<B> : undefined>,
  ) => Promise<Answer<R> | Reply<Answer<R>>>;
}

/** An operation without its types: the app routes these, and the tests walk over them. */
export type Endpoint = Omit<
  EndpointSpec<Needs, string, Shape | undefined, z.ZodType | undefined, Returns | undefined>,
  "handle" | "slashed" | "asSent" | "namedId" | "originalNames" | "readsAhead" | "thingRights"
> & {
  readonly readsAhead?: (
    repositoryId: number,
    params: Readonly<Record<string, string | number>>,
  ) => readonly TableKey[];
  readonly slashed?: string;
  readonly asSent?: string;
  readonly namedId?: string;
  readonly originalNames?: Readonly<Record<string, string>>;
  readonly thingRights?: (request: RightsRequest<Needs, string>) => Promise<unknown>;
  readonly handle: (request: ApiRequest<Needs, string, undefined, unknown>) => Promise<unknown>;
};

/**
 * Declares one operation. Routing, validation, authentication, the OpenAPI document, paging headers and the access
 * matrix of the tests all come from this value: it is the only place to add an operation.
 */
export function endpoint<
  const N extends Needs,
  const Path extends string,
  const Q extends Shape | undefined = undefined,
  const B extends z.ZodType | undefined = undefined,
  const R extends Returns | undefined = undefined,
>(spec: EndpointSpec<N, Path, Q, B, R>): Endpoint {
  return spec as unknown as Endpoint;
}

/** Whether anonymous callers may use an operation, subject to what they may see. */
export const isOpen = (needs: Needs): boolean =>
  needs.login !== true &&
  needs.siteAdmin !== true &&
  needs.user !== "self-or-admin" &&
  (needs.organization ?? "visible") === "visible" &&
  needs.team === undefined;

/** Whether the target of an operation may have been renamed: a former name is answered by 307 (semantics §1.3). */
export const mayMove = ({ path, needs }: Pick<Endpoint, "path" | "needs">): boolean =>
  /\{(org|owner|template_owner)\}/.test(path) || needs.user !== undefined;
