import { listLicensesOfRepository } from "#core/code/licenses";
import { z } from "#zod";
import { endpoint } from "../../http/endpoint.ts";

const repoGetLicenses = endpoint({
  id: "repoGetLicenses",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/licenses",
  cost: "heavy",
  summary: "Name the licenses of the default branch by their SPDX identifiers",
  description:
    "Those of files such as LICENSE or COPYING in its first folder that hold the text of one license, give or take a few words.",
  needs: { scope: ["repository"], repository: { mode: "read", unit: "code" } },
  status: 200,
  returns: { json: z.array(z.string()) },
  errors: [404],
  handle: ({ forge, access, signal }) => listLicensesOfRepository(forge, access.repository.id, signal),
});

export const repositoryLicenseEndpoints = [repoGetLicenses];
