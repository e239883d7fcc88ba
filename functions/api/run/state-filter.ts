import { isJobState, type JobState, jobStates } from "#core/actions/job/job-states";
import { badRequest } from "#core/errors";

/** The other family's words for states, as filters (D-RUNS, semantics §63.3): those that mean none of ours find nothing. */
const otherWords: Readonly<Record<string, readonly JobState[]>> = {
  queued: ["waiting"],
  pending: ["waiting", "blocked"],
  requested: ["waiting", "blocked"],
  in_progress: ["running"],
  completed: ["success", "failure", "cancelled", "skipped"],
  action_required: ["blocked"],
  neutral: [],
  stale: [],
  timed_out: [],
  unknown: [],
};

/** The states that some words name; undefined without words. BadRequest for a word that names none. */
export function statesOf(words: readonly string[] | undefined): readonly JobState[] | undefined {
  return words?.flatMap((word) => {
    if (isJobState(word)) return [word];
    const states = Object.hasOwn(otherWords, word) ? otherWords[word] : undefined;
    if (states === undefined) {
      throw badRequest(`there is no state ${word}: expected one of ${jobStates.join(", ")}`);
    }
    return states;
  });
}
