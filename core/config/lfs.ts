import { setting } from "./setting.ts";
import { flag, integer } from "./shapes.ts";

/** The most objects that one batch may ever name. */
const mostObjects = 1_000;

/** Git LFS: large files beside git. */
export const lfsSettings = {
  lfsStartServer: setting("LFS_START_SERVER", flag, true, "serve Git LFS: large files beside git"),
  lfsMaxFileSize: setting(
    "LFS_MAX_FILE_SIZE",
    integer(0, 2 ** 40),
    5 * 2 ** 30,
    "bytes of one LFS object; 0: as many as GIT_MAX_SPOOL_BYTES, and on AWS never more than 5 GiB",
  ),
  lfsMaxBatchSize: setting(
    "LFS_MAX_BATCH_SIZE",
    integer(0, mostObjects).transform((most) => most || mostObjects),
    mostObjects,
    "LFS objects that a client may ask for in one request; 0: 1,000",
  ),
  lfsLocksPagingNum: setting(
    "LFS_LOCKS_PAGING_NUM",
    integer(1, 1_000),
    50,
    "locks of LFS files in one answer",
  ),
  lfsHttpAuthExpirySeconds: setting(
    "LFS_HTTP_AUTH_EXPIRY",
    integer(3_600, 604_800),
    86_400,
    "seconds for which a client may use the authorization that it was given for some LFS objects",
  ),
} as const;
