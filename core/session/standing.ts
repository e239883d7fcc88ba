import { createHash } from "node:crypto";
import type { User } from "../user/user.table.ts";

/**
 * Stands for all of an account whose change ends its sessions: the password, the login source, and every time it was
 * shut out. So these changes write no session, and a sign-in that began before one of them opens none.
 */
export const standingOf = ({ passwordHash, loginSourceId, loginName, shutOuts = 0 }: User): string =>
  createHash("sha256")
    .update(JSON.stringify([passwordHash, loginSourceId, loginName, shutOuts]))
    .digest("base64url");
