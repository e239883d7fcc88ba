/** Accounts as a whole: how they and their rights end, with all that hangs on them in other parts of the forge. */

export { settleDeparture } from "./departure.ts";
export { forgetUser } from "./forget.ts";
export { purge, remove } from "./remove.ts";
