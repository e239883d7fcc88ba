import { releaseAssetEndpoints } from "./asset-endpoints.ts";
import { releaseEndpoints } from "./endpoints.ts";

/** The operations on releases and their assets. */
export const allReleaseEndpoints = [...releaseEndpoints, ...releaseAssetEndpoints];
