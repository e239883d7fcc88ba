/**
 * Accounts as a whole: how accounts and their rights end, with everything that depends on them elsewhere in the forge.
 */

export { settleDeparture } from "./departure.ts";
export { forgetUser } from "./forget.ts";
export { purge, remove } from "./remove.ts";
