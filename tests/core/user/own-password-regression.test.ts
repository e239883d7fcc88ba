import { expect, it } from "vitest";
import { setPassword } from "#core/user/administrator";
import { createUser } from "#core/user/create";
import { findUserByName } from "#core/user/find";
import { changeOwnPassword } from "#core/user/own-password";
import { makeForge } from "#tests/support/forge";

it("changeOwnPassword refuses to undo a password that an operator gave meanwhile", async () => {
  const { forge, stop } = await makeForge();
  try {
    const shown = await createUser(forge, {
      name: "alice",
      email: "alice@example.com",
      password: "correct-horse-9",
    });
    const reset = await setPassword(forge, "alice", { password: "reset-by-the-operator", mustChange: true });
    await expect(changeOwnPassword(forge, shown, "what-a-thief-would-like")).rejects.toThrow("meanwhile");
    expect((await findUserByName(forge, "alice"))?.passwordHash).toBe(reset.passwordHash);
  } finally {
    await stop();
  }
});
