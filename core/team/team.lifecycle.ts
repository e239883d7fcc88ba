import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import {
  endMemberships,
  endMembershipsOfUser,
  endTeams,
  endTeamsOfRepository,
  leaveFormerTeams,
} from "./internal/ends.ts";
import { forgetTeam } from "./remove.ts";
import { teamChecks } from "./team.check.ts";

/** Teams, and with them the memberships of organizations. */
export const teamLifecycle: Lifecycle = {
  noun: "team",
  items: [
    { at: "O#<organization> / ACL" },
    { at: "O#<organization> / TEAM#<team>", counter: "team" },
    { at: "O#<organization> / TN#<name>" },
    { at: "O#<organization> / MEM#<user>" },
    { at: "U#<user> / ORG#<organization>" },
    { at: "TEAM#<team> / #" },
    { at: "TEAM#<team> / M#<user>" },
    { at: "TEAM#<team> / R#<repository>" },
  ],
  ends: {
    repository: { teams: { stage: "rights", step: endTeamsOfRepository } },
    user: { memberships: { stage: "owned", step: endMembershipsOfUser, alone: ["ORG#"] } },
    organization: { teams: { step: endTeams }, memberships: { step: endMemberships } },
  },
  moves: { teams: { step: leaveFormerTeams } },
  jobs: { "forget-team": forgetTeam },
  checks: teamChecks,
};
