import { isForgeError } from "#core/errors";
import type { Forge } from "#core/forge";
import type { Random } from "../random.ts";
import { interleave } from "./interleave.ts";

/** Runs verbs at once, request by request in any order; what they are refused with is as good as done. */
export async function race(
  on: Forge,
  random: Random,
  ...verbs: ((forge: Forge) => Promise<unknown>)[]
): Promise<void> {
  const turns = interleave(on, random);
  for (const verb of verbs) {
    const forge = turns.process();
    turns.start(async () => {
      try {
        await verb(forge);
      } catch (error) {
        const isRefusal = (["not-found", "conflict", "precondition-failed", "invalid"] as const).some(
          (code) => isForgeError(error, code),
        );
        if (!isRefusal) throw error;
      }
    });
  }
  await turns.run();
}
