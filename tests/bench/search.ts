import { createApi } from "#functions/api/app";
import { makeManyRepositories } from "../api/repository/many-repositories.ts";
import { type Caller, makeApi } from "../support/api.ts";
import { onItsOwn } from "./apart.ts";
import { type BenchContext, type Figures, median } from "./bench.ts";

const warmUps = 30;
const calls = 100;

/**
 * The cost of lists among 10,000 repositories: requests and units of a warm answer (asserted by the tests), and its
 * CPU, from the request to the JSON text. The reference family takes 10 to 14 ms for a page of 50.
 */
export async function searchFigures(context: BenchContext): Promise<Figures> {
  const api = await makeApi(onItsOwn(context));
  try {
    const { owner, member } = await makeManyRepositories(api);
    const app = createApi({ forge: api.forge, showsCost: true });
    const rows = [
      await measure(app, "search, page of 50, nobody", "/repos/search?limit=50"),
      await measure(app, "search, page of 50, member of 20 teams", "/repos/search?limit=50", member),
      await measure(app, "search with a keyword, page of 50", "/repos/search?limit=50&q=ta"),
      await measure(app, "50 of the caller's by size", "/user/repos?order_by=size&limit=50", owner),
      await measure(app, "one repository", "/repos/alice/a-100", owner),
    ];
    return { title: "Lists among 10,000 repositories (warm)", rows: [["call", "cost", "CPU ms"], ...rows] };
  } finally {
    await api.stop();
  }
}

async function measure(
  app: ReturnType<typeof createApi>,
  name: string,
  path: string,
  as?: Caller,
): Promise<string[]> {
  const headers = as === undefined ? {} : { authorization: `token ${as.token}` };
  const spent: number[] = [];
  let cost = "";
  for (let count = 0; count < warmUps + calls; count += 1) {
    const before = process.cpuUsage();
    const answer = await app.request(`/api/v1${path}`, { headers });
    await answer.text();
    const { user, system } = process.cpuUsage(before);
    if (count >= warmUps) spent.push((user + system) / 1_000);
    cost = answer.headers.get("server-timing") ?? "";
  }
  return [name, cost, median(spent).toFixed(1)];
}
