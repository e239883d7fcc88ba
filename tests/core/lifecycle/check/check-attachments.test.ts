import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RepositoryAccess } from "#core/access/repository-access";
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
import {
  type CheckedWorld,
  findAndMend,
  makeCheckedWorld,
  mended,
  together,
  type Violation,
} from "./make.ts";

let world: CheckedWorld;
/** Whole again after the possible repairs. */
let whole: RepositoryAccess;
let access: RepositoryAccess;
beforeAll(async () => {
  world = await makeCheckedWorld();
  whole = await world.makeRepository();
});
beforeEach(() => {
  access = whole;
});
afterAll(() => world.test.stop());

const id = () => access.repository.id;
const attach = async () => {
  const bytes = Buffer.from("bytes");
  const content = new Spooled({ bytes }, bytes.length, (_bytes, work) => work());
  const file = await receiveAttachment(world.forge, id(), { name: "a.txt", content });
  const target = { kind: "issue", number: 1, commentId: 0 } as const;
  return createIssueAttachment(world.forge, access, { number: 1 }, { file, target }, world.actor);
};

const ofAttachments: Violation[] = [
  {
    what: "a card that counts attachments wrong",
    invariants: [18],
    plant: async () => {
      await attach();
      await world.set(cardKey(world.actor.user.id, id()), { issueAttachments: 9, issueAttachmentBytes: 1 });
    },
  },
  {
    what: "an attachment that nothing names and nothing will sweep",
    invariants: [31],
    plant: async () => {
      await attach();
      await world.set(issueKey(id(), 1), { attachmentIds: [] });
    },
  },
  {
    what: "an attachment whose address leads nowhere",
    invariants: [31],
    plant: async () => world.write(remove(addressKey((await attach()).uuid))),
  },
  {
    what: "an attachment whose file is gone",
    needsOwn: true,
    isLeft: true,
    invariants: [21],
    plant: async () => world.forge.blobs.remove([attachmentFile(id(), (await attach()).uuid)]),
  },
  {
    what: "an issue that names an attachment which is gone",
    needsOwn: true,
    isLeft: true,
    invariants: [31],
    plant: () => world.set(issueKey(id(), 1), { attachmentIds: [999_999] }),
  },
];

describe("checkRepository", () => {
  it.each(together(ofAttachments))("finds and mends %s", async (_what, violation) => {
    if (violation.needsOwn ?? violation.isLeft) access = await world.makeRepository();
    await findAndMend(world.forge, id(), violation);
  });

  it("finds the file of no attachment once no upload can be on its way, and has it removed", async () => {
    access = await world.makeRepository();
    const key = attachmentFile(id(), "00000000-0000-4000-8000-000000000000");
    await world.forge.blobs.put(key, Buffer.alloc(9));
    const check = () => checkRepository(world.forge, id());
    const isYoung = { ...world.forge, clock: { now: () => Date.now() } };
    expect(await checkRepository(isYoung, id())).toEqual([]);
    const findings = await check();
    expect(findings.map(({ invariant, key: found }) => [invariant, found])).toEqual([[21, key]]);
    expect(await mended(world.forge, findings, check)).toEqual({ left: 0, found: 0 });
    await sweepFiles(world.forge);
    await expect(world.forge.blobs.get(key)).rejects.toThrow(BlobMissing);
  });
});
