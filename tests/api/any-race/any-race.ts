import { expect } from "vitest";
import type { Forge } from "#core/forge";
import { branchPrefix } from "#core/git/refs/ref-name";
import { readSnapshot } from "#core/git/store/refs/snapshot";
import { checkTable } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";
import { type OpenPullRow, openPullsIntoAnyBranch } from "#core/pull/pull.table";
import { createApi } from "#functions/api/app";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { tick } from "#functions/workers/tick";
import type { Caller, TestApi } from "#tests/support/api";
import { checkContract } from "#tests/support/contract/contract";
import { endpoints } from "#tests/support/endpoints";
import { interleave } from "#tests/support/race/interleave";
import type { Random } from "#tests/support/random";
import { groups, type RaceRequest, verbs } from "./verbs.ts";
import { makeRaceWorld, openPulls, type RaceWorld } from "./world.ts";

/** Completed requests show that the races were real: they go on until so many completed. */
const leastDone = 3;

/** Chance that the process behind a request may be killed, and that it is at each of its requests to the table. */
const crash = { ofProcess: 0.2, ofRequest: 0.12 };

/**
 * Lets a few requests of one group of verbs meet, again and again: each in a process of its own, their requests to the
 * table in any order, some of them killed at one, and workers among them. No request is answered by a 500, and when all
 * work is done the data keeps every invariant. How many complete depends on the order in which the machine answers:
 * races are added until some did.
 */
export async function raceOnce(
  api: TestApi,
  random: Random,
  { group, races }: { readonly group: number; readonly races: number },
): Promise<void> {
  const world = await makeRaceWorld(api, random, group);
  if (groups[group]?.includes("newPull")) await openPulls(api, world);
  const story: string[] = [];
  let done = 0;
  for (let race = 0; race < races || (done < leastDone && race < 10 * races); race += 1) {
    const turns = interleave(api.forge, random);
    const count = 2 + random.integer(3);
    for (let place = 0; place < count; place += 1) {
      const request = (verbs[random.pick(groups[group] ?? [])] as (typeof verbs)[string])(world);
      const isMortal = random.chance(crash.ofProcess);
      const forge = turns.process(isMortal ? { crashChance: crash.ofRequest } : {});
      turns.start(async () => {
        const { status, told } = await ask(forge, world, request);
        story.push(`race ${race}: ${status} ${told}${isMortal ? " (may be killed)" : ""}`);
        if (status < 300) done += 1;
        if (!isMortal) expect(status, `SEED=${random.seed}\n${story.join("\n")}`).toBeLessThan(500);
      });
    }
    if (random.chance(0.3)) {
      const forge = turns.process();
      turns.start(() => work(api, forge));
    }
    await turns.run();
  }
  const findings = await findingsAtTheEnd(api);
  expect(
    [...findings, ...(await branchlessPulls(api, world))],
    `SEED=${random.seed}\n${story.join("\n")}`,
  ).toEqual([]);
  expect(done, `SEED=${random.seed}\n${story.join("\n")}`).toBeGreaterThanOrEqual(leastDone);
}

/** Sends a request like clients, which follow redirects of renamed things. */
async function ask(forge: Forge, { random, callers }: RaceWorld, [method, path, body, as]: RaceRequest) {
  const caller = callers[as ?? (random.chance(0.15) ? "boss" : "alice")];
  const kind = path.split("/")[1];
  const app = createApi({
    forge,
    observe: checkContract,
    endpoints: endpoints.filter(
      (one) => one.method === method.toLowerCase() && one.path.split("/")[1] === kind,
    ),
  });
  const send = (to: string) =>
    app.request(to, { ...initOf(method, caller, body) }, { clientAddress: "192.0.2.1" });
  const first = await send(`/api/v1${path}`);
  const location = first.headers.get("location");
  const answer = first.status === 307 && location !== null ? await send(new URL(location).pathname) : first;
  return { status: answer.status, told: `${method} ${path} ${JSON.stringify(body)} by ${caller.name}` };
}

const initOf = (method: string, { token }: Caller, body: object | undefined): RequestInit => ({
  method,
  headers: { authorization: `token ${token}`, "content-type": "application/json" },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

async function work(api: TestApi, forge: Forge): Promise<void> {
  await api.queues.drain("repository-events", (event) => repositoryEventsWorker(forge, event));
}

/** Does all remaining work, as long after it as jobs look back; answers what is wrong then. */
async function findingsAtTheEnd(api: TestApi): Promise<Finding[]> {
  for (let pass = 0; pass < 6; pass += 1) {
    await work(api, api.forge);
    api.clock.advance(20 * 60_000);
    await tick(api.forge);
  }
  await work(api, api.forge);
  const findings: Finding[] = [];
  for await (const finding of checkTable(api.forge)) if (!isLeftPack(finding)) findings.push(finding);
  return findings;
}

/** A process that is killed between upload and transaction leaves a pack, which the repair of its finding sweeps. */
const isLeftPack = ({ invariant, key }: Finding): boolean => invariant === 21 && /\.(pack|side)$/.test(key);

/** Open requests one of whose branches is gone: whatever happened to it, they followed. */
async function branchlessPulls({ forge: { table } }: TestApi, { places }: RaceWorld): Promise<string[]> {
  const found: string[] = [];
  for (const { id } of places) {
    const rows = await table.queryAll<OpenPullRow>(openPullsIntoAnyBranch(id));
    const { refs } = (await readSnapshot(table, id)) ?? {};
    for (const { number, base, head } of rows) {
      const gone = [base, head].filter((branch) => refs?.find(branchPrefix + branch) === undefined);
      if (gone.length > 0) found.push(`request ${id}.${number} is open, and gone are ${gone}`);
    }
  }
  return found;
}
