import { afterAll, beforeAll, expect, it } from "vitest";
import { runCronTasks } from "#functions/workers/cron-tasks";
import { addComment, openIssue } from "#tests/api/issue/make";
import { workOnMirrors } from "#tests/support/mirror-work";
import { type MailWorld, makeMailWorld, receiverOf, watch } from "./world.ts";

let world: MailWorld;
beforeAll(async () => {
  world = await makeMailWorld({ settings: { MAILER_USER_HOURLY_LIMIT: "12" } });
});
afterAll(() => world.stop());

// Each try was counted as one more mail of the hour: of those put off, half were lost at the second try. Of what alice
// does there are 4 mails in an hour, a third of all.
it("mails that the server puts off are not lost because their receiver has had as many tries as mails (fixed)", async () => {
  const { api, server, alice, repository } = world;
  const reader = await world.makeReader("enabled");
  await watch(api, repository, reader);
  server.refuse = () => 451;
  const { number } = await openIssue(api, repository, alice);
  for (let made = 0; made < 3; made += 1) await addComment(api, repository, number, alice);
  expect(await world.mailed()).toEqual([]);
  for (const ms of [61_000, 61_000]) {
    api.clock.advance(ms);
    await runCronTasks(api.forge, ["restart_jobs"]);
    await workOnMirrors(api);
  }
  server.refuse = () => 0;
  api.clock.advance(10 * 60_000);
  await runCronTasks(api.forge, ["restart_jobs"]);
  await workOnMirrors(api);
  expect(server.taken().map(receiverOf)).toEqual(Array(4).fill(`${reader.name}@example.com`));
});

it("one mailbox gets 3 links an hour, however its address is written (fixed)", async () => {
  const { api } = world;
  const written = ["v@example.com", "V+1@example.com", "v@EXAMPLE.com", "v+2@example.com", "v@ｅxample.com"];
  for (const email of written) {
    const as = await api.makeUser();
    expect((await api.call("POST", "/user/emails", { as, body: { emails: [email] } })).status).toBe(201);
  }
  expect(await world.mailed()).toHaveLength(3);
});
