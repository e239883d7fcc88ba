export { add, type BookedTime, type NewTime, remove, reset } from "./change.ts";
export { forgetIssue, forgetSome } from "./forget.ts";
export {
  type ListedTime,
  listOfIssue,
  listOfRepository,
  listOfUserIn,
  listOwn,
  type TimeListing,
  type TimeQuery,
} from "./list.ts";
export { isTracked, mayTrack, requireTrackable } from "./rights.ts";
export { additionWrites, timeOn, toldOfTime } from "./write.ts";
