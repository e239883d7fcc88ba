import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { attachmentChecks } from "./attachment.check.ts";
import { emptySomeAttachments } from "./sweep.ts";

export const attachmentLifecycle: Lifecycle = {
  noun: "attachment",
  items: [{ at: "R#<repository>#AT / <attachment>", counter: "attachment" }, { at: "UUID#<uuid> / #" }],
  objects: ["r/<repository>/a/<uuid>"],
  ends: {
    repository: {
      attachments: { step: (forge, { repositoryId }) => emptySomeAttachments(forge, repositoryId) },
    },
  },
  checks: attachmentChecks,
};
