import { branchEndpoints } from "../branch/endpoints.ts";
import { contentsEndpoints } from "../contents/endpoints.ts";
import { fileEndpoints } from "../contents/write-endpoints.ts";
import type { Endpoint } from "../endpoint.ts";

/** Every operation on the code of a repository. */
export const codeEndpoints: readonly Endpoint[] = [
  ...branchEndpoints,
  ...contentsEndpoints,
  ...fileEndpoints,
];
