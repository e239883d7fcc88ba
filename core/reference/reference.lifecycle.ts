import { forgetMentionsIn, forgetMentionsOf } from "../issue/references/mentions.ts";
import { dropReferences } from "../issue/references/settle-references.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { referenceChecks } from "./reference.check.ts";
import { textReferencesPrefix } from "./reference.table.ts";

const rowsPerStep = 100;

/** What texts refer to, and whom they mention. */
export const referenceLifecycle: Lifecycle = {
  noun: "reference",
  items: [
    { at: "I#<repository>.<number> / X#<comment>" },
    { at: "I#<repository>.<number> / MENTION#<user>" },
    { at: "U#<user>#I / m#<repository>#<number>" },
  ],
  ends: {
    user: {
      mentions: {
        async step(forge, { userId }) {
          const forgotten = await forgetMentionsOf(forge, userId, rowsPerStep);
          return { hasFound: forgotten > 0, hasMore: forgotten === rowsPerStep };
        },
      },
    },
    issue: {
      elsewhere: forgetMentionsIn,
      removals: {
        async [textReferencesPrefix](forge, { sk }, address) {
          const commentId = Number(sk.slice(textReferencesPrefix.length));
          await dropReferences(forge, { ...address, commentId });
          return true;
        },
      },
    },
  },
  checks: referenceChecks,
};
