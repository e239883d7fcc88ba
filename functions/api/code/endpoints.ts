import type { Endpoint } from "../../http/endpoint.ts";
import { branchEndpoints } from "../branch/endpoints.ts";
import { branchProtectionEndpoints } from "../branch-protection/endpoints.ts";
import { commitEndpoints } from "../commit/endpoints.ts";
import { commitStatusEndpoints } from "../commit-status/endpoints.ts";
import { contentsEndpoints } from "../contents/endpoints.ts";
import { fileEndpoints } from "../contents/write-endpoints.ts";
import { forkSyncEndpoints } from "../fork-sync/endpoints.ts";
import { gitDataEndpoints } from "../git-data/endpoints.ts";
import { tagEndpoints } from "../tag/endpoints.ts";
import { tagProtectionEndpoints } from "../tag-protection/endpoints.ts";

/** Every operation on the code of a repository. */
export const codeEndpoints: readonly Endpoint[] = [
  ...branchEndpoints,
  ...branchProtectionEndpoints,
  ...tagEndpoints,
  ...tagProtectionEndpoints,
  ...contentsEndpoints,
  ...fileEndpoints,
  ...commitEndpoints,
  ...gitDataEndpoints,
  ...commitStatusEndpoints,
  ...forkSyncEndpoints,
];
