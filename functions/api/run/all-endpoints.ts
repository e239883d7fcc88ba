import type { Endpoint } from "../../http/endpoint.ts";
import { runsAcrossEndpoints } from "./across-endpoints.ts";
import { runEndpoints } from "./endpoints.ts";
import { runJobEndpoints } from "./job-endpoints.ts";
import { workflowEndpoints } from "./workflow-endpoints.ts";

/** Every operation on runs, their jobs, and workflows: they are loaded together. */
export const allRunEndpoints: readonly Endpoint[] = [
  ...runEndpoints,
  ...runJobEndpoints,
  ...workflowEndpoints,
  ...runsAcrossEndpoints,
];
