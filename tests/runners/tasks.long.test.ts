import { describe, expect, it } from "vitest";
import { jobId } from "#core/actions/actions.table";
import { findTask } from "#core/actions/run/run";
import { encodings } from "./client.ts";
import { tasksPlace } from "./tasks-place.ts";

const place = tasksPlace();
const { own, run, fetch, logOf } = place;

describe("FetchTask (semantics §60.3, §61)", () => {
  it("of ten runners that ask at once gives one job to one (60.6-4)", async () => {
    const runners = await Promise.all(Array.from({ length: 10 }, () => own()));
    await run();
    const answers = await Promise.all(runners.map((runner) => fetch(runner)));
    expect(answers.filter(({ task }) => task !== undefined)).toHaveLength(1);
  });
});

describe("UpdateLog (semantics §60.3)", () => {
  it.each(encodings)(
    "in %s takes rows of one call up to a bound, and the rest with the next",
    async (encoding) => {
      const [runner] = [await own(), await run()];
      const { id } = (await fetch(runner)).task;
      const rows = Array.from({ length: 20_005 }, () => ({}));
      const send = async (index: number) => {
        const given = { taskId: id, index: String(index), rows: rows.slice(index), noMore: true };
        return Number((await runner.call("UpdateLog", given, { encoding })).message.ackIndex);
      };
      expect([await send(0), await send(20_000)]).toEqual([20_000, 20_005]);
      expect(await logOf(Number(id))).toBe("1970-01-01T00:00:00.0000000Z \n".repeat(20_005));
      expect(
        (await findTask(place.api.forge, place.repository.id, Number(id) - jobId(place.repository.id, 0)))
          ?.isLogSealed,
      ).toBe(true);
    },
  );

  it.each(encodings)(
    "in %s a line of 10 MB is refused, plain and compressed, and the log goes on",
    async (encoding) => {
      const runner = await own();
      await run();
      const { id } = (await fetch(runner)).task;
      const given = { taskId: id, rows: [{ content: "x".repeat(10_000_000) }] };
      for (const isCompressed of [false, true]) {
        const { status, code } = await runner.call("UpdateLog", given, { encoding, isCompressed });
        expect([status, code]).toEqual([400, "invalid_argument"]);
      }
      const after = await runner.call("UpdateLog", { taskId: id, rows: [{ content: "on" }] }, { encoding });
      expect(Number(after.message.ackIndex)).toBe(1);
      expect(await logOf(Number(id))).toBe("1970-01-01T00:00:00.0000000Z on\n");
    },
  );
});
