import { branchEndpoints } from "./branch/endpoints.ts";
import { commentEndpoints } from "./comment/endpoints.ts";
import type { Endpoint } from "./endpoint.ts";
import { hookEndpoints } from "./hook/endpoints.ts";
import { issueEndpoints } from "./issue/endpoints.ts";
import { miscellaneousEndpoints } from "./miscellaneous/endpoints.ts";
import { repositoryEndpoints } from "./repository/endpoints.ts";
import { repositoryListEndpoints } from "./repository/list-endpoints.ts";
import { tokenEndpoints } from "./token/endpoints.ts";
import { userEndpoints } from "./user/endpoints.ts";

/** Every operation of the API, in the order of the document. */
export const endpoints: readonly Endpoint[] = [
  ...miscellaneousEndpoints,
  ...userEndpoints,
  ...tokenEndpoints,
  ...repositoryEndpoints,
  ...repositoryListEndpoints,
  ...branchEndpoints,
  ...hookEndpoints,
  ...issueEndpoints,
  ...commentEndpoints,
];
