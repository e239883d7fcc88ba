import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { confirmArtifact } from "#core/artifact/confirm";
import { tick } from "#functions/workers/tick";
import { SimulatedCrash } from "#tests/support/faults";
import { finishJobs } from "#tests/support/jobs";
import { withMeanwhile } from "#tests/support/race/meanwhile";
import { type ArtifactWorld, sha256, startArtifacts } from "./world.ts";

let world: ArtifactWorld;
beforeAll(async () => {
  world = await startArtifacts();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const hour = 3_600_000;
const later = async (ms: number) => {
  world.api.clock.advance(ms);
  await tick(world.api.forge);
};
const listed = async (path = "actions/artifacts") =>
  (await world.call("GET", path)).json.artifacts.map(({ name }: { name: string }) => name);

describe("an upload", () => {
  it("whose pieces change while it is confirmed leaves no copy of the earlier ones", async () => {
    const { forge } = world.api;
    const upload = await world.open(7, "raced");
    for (const bytes of ["one", "two"]) await world.add(upload, "appended", bytes);
    const raced = withMeanwhile(
      forge,
      () => world.add(upload, "appended", "three"),
      (writes) => writes.some((write) => "put" in write && write.put.state === "confirmed"),
    );
    await confirmArtifact(raced, upload, {});
    expect((await world.left())[1]).toBe(4);
  });
});

describe("rivals and crashes", () => {
  it("twenty jobs that upload the same name leave one artifact with the bytes of one", async () => {
    const { forge } = world.api;
    const uploads = Array.from({ length: 20 }, async (_, at) => {
      const upload = await world.open(7, "same");
      await world.add(upload, "appended", `of job ${at}`);
      await confirmArtifact(forge, upload, { sha256: sha256(`of job ${at}`) });
    });
    const ends = await Promise.allSettled(uploads);
    expect(ends.some(({ status }) => status === "fulfilled")).toBe(true);
    const { json } = await world.call("GET", "actions/artifacts");
    expect(json.total_count).toBe(1);
    expect(await world.bytes(json.artifacts[0].id)).toMatch(/^of job \d+$/);
    await later(25 * hour);
    expect(await world.left()).toEqual([2, 1]);
    await world.expectWhole();
  });

  it("uploads that end while the repository goes to another owner count for the one who has it then", async () => {
    const uploads = await Promise.all(
      Array.from({ length: 6 }, async (_, at) => {
        const upload = await world.open(7, `a${at}`);
        await world.add(upload, "appended", "zipped");
        return upload;
      }),
    );
    await world.call("POST", "transfer", { new_owner: world.writer.name });
    const accept = `/repos/olga/${world.name}/transfer/accept`;
    const [accepted] = await Promise.all([
      world.api.call("POST", accept, { as: world.writer }),
      ...uploads.map((upload) => confirmArtifact(world.api.forge, upload, {})),
    ]);
    expect(accepted.status).toBe(202);
    expect([await world.usage(), await world.usage(world.writer.user.id)]).toEqual([
      [0, 0],
      [6, 36],
    ]);
    await world.expectWhole();
  });

  it("uploads that end while the repository is deleted leave nothing", async () => {
    const upload = await world.open(7, "late");
    const other = await world.open(7, "later");
    await world.add(upload, "appended", "zipped");
    await Promise.allSettled([
      world.call("DELETE", ""),
      confirmArtifact(world.api.forge, upload, {}),
      world.add(other, "appended", "piece"),
      world.open(7, "latest"),
    ]);
    await finishJobs(world.api);
    await later(91 * 24 * hour);
    expect(await world.left()).toEqual([0, 0]);
  });

  it("a process killed before or after any of its writes leaves an artifact, or nothing that lasts", async () => {
    const acts = (name: string) => [
      () => world.make(name),
      async () => {
        const { json } = await world.call("GET", `actions/artifacts?name=${name}`);
        for (const { id } of json.artifacts) await world.call("DELETE", `actions/artifacts/${id}`);
      },
    ];
    const { faults } = world.api;
    for (const when of ["before", "after"] as const) {
      // Until neither act has so many writes.
      for (let [write, crashes] = [1, 1]; crashes > 0; write += 1) {
        crashes = 0;
        for (const act of acts(`a${when}${write}`)) {
          faults.crashAt(write, when);
          await act().catch((error: unknown) => {
            if (!(error instanceof SimulatedCrash)) throw error;
          });
          if (faults.hasCrashed) crashes += 1;
          faults.recover();
          const [artifacts] = await world.usage();
          expect((await listed()).length, `${when} write ${write}`).toBe(artifacts);
          await world.expectWhole();
        }
      }
    }
    await later(25 * hour);
    const [artifacts, bytes] = await world.usage();
    expect([await world.left(), bytes]).toEqual([[2 * artifacts, artifacts], 6 * artifacts]);
    await world.expectWhole();
  });
});
