import type { Config } from "../config.ts";

/** The largest object that may be uploaded. S3 by itself may take less. */
export const mostLfsBytes = ({ lfsMaxFileSize, gitMaxSpoolBytes }: Config): number =>
  lfsMaxFileSize || gitMaxSpoolBytes;
