import { describe, expect, it } from "vitest";
import { parseCapabilities } from "#core/git/protocol/capabilities";
import { HaveAnswers } from "#core/git/protocol/have-answers";
import { Negotiation } from "#core/git/protocol/negotiation";
import { packsOf } from "#tests/git/memory/pack-sets";
import { makeCommit } from "#tests/git/store/made-objects";

/** A line of three commits; the last is wanted. */
async function makeLine() {
  const first = makeCommit("sha1");
  const second = makeCommit("sha1", [first.id]);
  const third = makeCommit("sha1", [second.id]);
  const packs = await packsOf("sha1", [...first.objects, ...second.objects, ...third.objects]);
  const answers = (capabilities: string) =>
    new HaveAnswers(new Negotiation(async () => packs, [third.id]), parseCapabilities(capabilities));
  return { first: first.id, second: second.id, answers };
}

const text = (packets: readonly Buffer[]) => packets.map((packet) => packet.toString("latin1", 4));
const unknown = "ee".repeat(20);

describe("HaveAnswers", () => {
  it("multi_ack_detailed: tells what is common, when it is enough, and spares the done", async () => {
    const { second, answers } = await makeLine();
    const one = answers("multi_ack_detailed no-done");
    expect(text(await one.have(unknown))).toEqual([]);
    expect(text(await one.have(second))).toEqual([`ACK ${second} common\n`]);
    expect(text(await one.have(unknown))).toEqual([`ACK ${unknown} ready\n`]);
    const { packets, isDone } = await one.flush();
    expect([text(packets), isDone]).toEqual([["NAK\n", `ACK ${second}\n`], true]);
  });

  it("multi_ack_detailed: is ready at the flush when the whole batch was common", async () => {
    const { first, second, answers } = await makeLine();
    const one = answers("multi_ack_detailed");
    await one.have(second);
    expect(text(await one.have(first))).toEqual([`ACK ${first} common\n`]);
    const { packets, isDone } = await one.flush();
    expect([text(packets), isDone]).toEqual([[`ACK ${first} ready\n`, "NAK\n"], false]);
    expect(text(one.done())).toEqual([`ACK ${first}\n`]);
  });

  it("multi_ack: goes on until done", async () => {
    const { second, answers } = await makeLine();
    const one = answers("multi_ack");
    expect(text(await one.have(second))).toEqual([`ACK ${second} continue\n`]);
    expect(text((await one.flush()).packets)).toEqual(["NAK\n"]);
    expect(text(one.done())).toEqual([`ACK ${second}\n`]);
  });

  it("neither: acknowledges the first common object alone", async () => {
    const { first, second, answers } = await makeLine();
    const one = answers("");
    expect(text((await one.flush()).packets)).toEqual(["NAK\n"]);
    expect(text(await one.have(second))).toEqual([`ACK ${second}\n`]);
    expect(text(await one.have(first))).toEqual([]);
    expect(text((await one.flush()).packets)).toEqual([]);
    expect(text(one.done())).toEqual([]);
  });

  it("nothing in common: NAK", async () => {
    const { answers } = await makeLine();
    const one = answers("multi_ack_detailed no-done");
    await one.have(unknown);
    const { packets, isDone } = await one.flush();
    expect([text(packets), isDone, text(one.done())]).toEqual([["NAK\n"], false, ["NAK\n"]]);
  });
});
