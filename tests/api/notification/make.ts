import { repositoryEventsWorker } from "#functions/workers/repository-events";
import type { ApiAnswer, Caller, TestApi } from "#tests/support/api";

/** Lets the worker work on everything that happened, and on what follows from it. */
export async function tell(api: TestApi): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const { done } = await api.queues.drain("repository-events", (event) =>
      repositoryEventsWorker(api.forge, event),
    );
    if (done === 0) return;
  }
}

/** A caller's notifications, as a list answers them. */
export async function listed(api: TestApi, as: Caller, query = ""): Promise<ApiAnswer["json"]> {
  const answer = await api.call("GET", `/notifications${query}`, { as });
  if (answer.status !== 200) throw new Error(`no list: ${answer.text}`);
  return answer.json;
}

/** How many are unread. */
export const unreadOf = async (api: TestApi, as: Caller): Promise<number> =>
  (await api.call("GET", "/notifications/new", { as })).json.new;
