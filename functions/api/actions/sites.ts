import type { ActionsPlace, OwnedPlace } from "#core/actions/place";
import type { ApiRequest } from "../../http/api-request.ts";
import type { Tag } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";

/** What a request to a site loaded. */
export type Loaded<N extends Needs> = Pick<
  ApiRequest<N, string, undefined, undefined>,
  "actor" | "access" | "organization"
>;

/** A kind of place that has settings of Actions: the operations on them are the same at each. */
export interface Site<N extends Needs, Place extends ActionsPlace> {
  readonly tag: Tag;
  /** The path before `/runners`, `/variables` and `/secrets`. */
  readonly base: string;
  /** The place, in words. */
  readonly of: string;
  readonly needs: N;
  readonly placeOf: (request: Loaded<N>) => Place;
  /** Wider places, whose runners serve this one too. */
  readonly around: (request: Loaded<N>) => readonly ActionsPlace[];
}

const site = <const N extends Needs, Place extends ActionsPlace>(given: Site<N, Place>): Site<N, Place> =>
  given;

const everywhere: readonly ActionsPlace[] = [{ kind: "global" }];

export const repositorySite = site({
  tag: "repository",
  base: "/repos/{owner}/{repo}/actions",
  of: "a repository",
  needs: { scope: ["repository"], login: true, repository: { mode: "owner" } },
  placeOf: ({ access: { repository } }): OwnedPlace => ({
    kind: "repository",
    id: repository.id,
    ownerId: repository.ownerId,
  }),
  around: ({ access: { owner } }) => [{ kind: owner.kind, id: owner.id }, ...everywhere],
});

export const organizationSite = site({
  tag: "organization",
  base: "/orgs/{org}/actions",
  of: "an organization, for all its repositories",
  needs: { scope: ["organization"], login: true, organization: "owner" },
  placeOf: ({ organization: { organization } }): OwnedPlace => ({
    kind: "organization",
    id: organization.id,
  }),
  around: () => everywhere,
});

export const userSite = site({
  tag: "user",
  base: "/user/actions",
  of: "the caller, for all their repositories",
  needs: { scope: ["user"], login: true },
  placeOf: ({ actor }): OwnedPlace => ({ kind: "user", id: actor.user.id }),
  around: () => everywhere,
});

export const adminSite = site({
  tag: "admin",
  base: "/admin/actions",
  of: "the installation, for all repositories",
  needs: { scope: ["admin"], siteAdmin: true },
  placeOf: (): ActionsPlace => ({ kind: "global" }),
  around: () => [],
});
