import type { Checks } from "../lifecycle/check/checks.ts";
import { repositoryKind } from "../repository/checked-repository.ts";
import { teamKind } from "./internal/checked-teams.ts";
import { checkMembershipMirrors, checkTeamMembers, membershipReads } from "./memberships.check.ts";
import { checkTeamRepositories, givenKind } from "./repositories.check.ts";

export const teamChecks: Checks = {
  reads: [teamKind, givenKind, repositoryKind, ...membershipReads],
  table: [
    (_, facts) => checkMembershipMirrors(facts),
    (_, facts) => checkTeamMembers(facts),
    (_, facts) => checkTeamRepositories(facts),
  ],
};
