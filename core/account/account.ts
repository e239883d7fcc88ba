/** Accounts as a whole: how they end, with everything that hangs on them in other parts of the forge. */

export { forgetUser } from "./forget.ts";
export { purge, remove } from "./remove.ts";
