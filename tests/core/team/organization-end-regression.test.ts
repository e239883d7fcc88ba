import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOrganization } from "#core/organization/create";
import { removeOrganization } from "#core/organization/remove";
import { createTeam } from "#core/team/create";
import { addTeamMember } from "#core/team/members";
import { membershipMirrorsOf, teamPartition } from "#core/team/team.table";
import { createUser } from "#core/user/create";
import { makeForge, type TestForge } from "#tests/support/forge";
import { finishJobs, runJobs } from "#tests/support/jobs";

let test: TestForge;
beforeAll(async () => {
  test = await makeForge();
});
afterAll(() => test.stop());

describe("the job of a deleted organization", () => {
  it("leaves nothing of its teams, whichever of its writes was the last before a crash", async () => {
    const { forge, faults, clock } = test;
    const named = (name: string) => ({ name, email: `${name}@example.com`, password: "correct-horse-9" });
    const [owner, member] = [
      await createUser(forge, named("owner")),
      await createUser(forge, named("member")),
    ];
    let hasCrashed = true;
    for (let write = 1; hasCrashed; write += 1) {
      const organization = await createOrganization(forge, owner, { name: `guild-${write}` });
      const team = await createTeam(forge, organization.id, { name: "crew", mode: "read", units: ["code"] });
      await addTeamMember(forge, team, member.id);
      await removeOrganization(forge, organization);
      faults.crashAt(write, "before");
      await runJobs(test, "forget-organization").catch(() => undefined);
      hasCrashed = faults.hasCrashed;
      faults.recover();
      clock.advance(3_600_000);
      await finishJobs(test);
      const partitions = [`O#${organization.id}`, teamPartition(team.id)];
      const left = await Promise.all(partitions.map((pk) => forge.table.queryAll({ pk })));
      expect(left.flat(), `killed before write ${write}`).toEqual([]);
    }
    expect(await forge.table.queryAll(membershipMirrorsOf(member.id))).toEqual([]);
  });
});
