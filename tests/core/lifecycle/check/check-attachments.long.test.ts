import { describe, expect, it } from "vitest";
import { addressKey, attachmentFile } from "#core/attachment/attachment.table";
import { receiveAttachment } from "#core/attachment/receive";
import { sweepFiles } from "#core/attachment/sweep";
import { BlobMissing } from "#core/blobs/bucket";
import { Spooled } from "#core/capacity/spooled";
import { issueKey } from "#core/issue/issue.table";
import { createIssueAttachment } from "#core/issue-attachment/issue-attachment";
import { checkRepository } from "#core/lifecycle/check/check";
import { cardKey } from "#core/repository/repository.table";
import { remove } from "#core/table/write";
import { checkedPlace, findAndMend, mended, together, type Violation } from "./make.ts";

const place = checkedPlace();
const { id } = place;
const attach = async () => {
  const bytes = Buffer.from("bytes");
  const content = new Spooled({ bytes }, bytes.length, (_bytes, work) => work());
  const file = await receiveAttachment(place.world.forge, id(), { name: "a.txt", content });
  const target = { kind: "issue", number: 1, commentId: 0 } as const;
  return createIssueAttachment(
    place.world.forge,
    place.access,
    { number: 1 },
    { file, target },
    place.world.actor,
  );
};

const ofAttachments: Violation[] = [
  {
    what: "a card that counts attachments wrong",
    invariants: [18],
    plant: async () => {
      await attach();
      await place.world.set(cardKey(place.world.actor.user.id, id()), {
        issueAttachments: 9,
        issueAttachmentBytes: 1,
      });
    },
  },
  {
    what: "an attachment that nothing names and nothing will sweep",
    invariants: [31],
    plant: async () => {
      await attach();
      await place.world.set(issueKey(id(), 1), { attachmentIds: [] });
    },
  },
  {
    what: "an attachment whose address leads nowhere",
    invariants: [31],
    plant: async () => place.world.write(remove(addressKey((await attach()).uuid))),
  },
  {
    what: "an attachment whose file is gone",
    needsOwn: true,
    isLeft: true,
    invariants: [21],
    plant: async () => place.world.forge.blobs.remove([attachmentFile(id(), (await attach()).uuid)]),
  },
  {
    what: "an issue that names an attachment which is gone",
    needsOwn: true,
    isLeft: true,
    invariants: [31],
    plant: () => place.world.set(issueKey(id(), 1), { attachmentIds: [999_999] }),
  },
];

describe("checkRepository", () => {
  it.each(together(ofAttachments))("finds and mends %s", async (_what, violation) => {
    if (violation.needsOwn ?? violation.isLeft) await place.renew();
    await findAndMend(place.world.forge, id(), violation);
  });

  it("finds the file of no attachment once no upload can be on its way, and has it removed", async () => {
    await place.renew();
    const key = attachmentFile(id(), "00000000-0000-4000-8000-000000000000");
    await place.world.forge.blobs.put(key, Buffer.alloc(9));
    const check = () => checkRepository(place.world.forge, id());
    const isYoung = { ...place.world.forge, clock: { now: () => Date.now() } };
    expect(await checkRepository(isYoung, id())).toEqual([]);
    const findings = await check();
    expect(findings.map(({ invariant, key: found }) => [invariant, found])).toEqual([[21, key]]);
    expect(await mended(place.world.forge, findings, check)).toEqual({ left: 0, found: 0 });
    await sweepFiles(place.world.forge);
    await expect(place.world.forge.blobs.get(key)).rejects.toThrow(BlobMissing);
  });
});
