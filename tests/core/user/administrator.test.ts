import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureAdministrator, setPassword } from "#core/user/administrator";
import { createUser } from "#core/user/create";
import { findUserByName } from "#core/user/find";
import { verifyPassword } from "#core/user/internal/password";
import { makeForge, type TestForge } from "#tests/support/forge";
import { holdTimeStill } from "#tests/support/still-time";

let world: TestForge;
beforeAll(async () => {
  world = await makeForge();
});
afterAll(() => world.stop());

const logsIn = async (name: string, password: string) => {
  const user = await findUserByName(world.forge, name);
  return verifyPassword(world.forge, user?.passwordHash, password);
};

describe("the first administrator", () => {
  it("is made once: with a password made up when none is given, which then logs in", async () => {
    const made = await ensureAdministrator(world.forge, { name: "root", password: "", email: "" });
    expect(made).toMatchObject({ name: "root", isPasswordMadeUp: true });
    expect(await logsIn("root", made?.password ?? "")).toBe(true);
    const again = await ensureAdministrator(world.forge, { name: "other", password: "", email: "" });
    expect(again).toBeUndefined();
    expect(await findUserByName(world.forge, "other")).toBeUndefined();
  });
});

describe("setPassword", () => {
  it("replaces the password at once, whatever was remembered of the former one", async () => {
    await createUser(world.forge, { name: "Alice", email: "a@example.com", password: "battery-staple" });
    expect(await logsIn("alice", "battery-staple")).toBe(true);
    const changed = await setPassword(world.forge, "alice", { password: "correct-horse", mustChange: true });
    expect(changed).toMatchObject({ name: "Alice", mustChangePassword: true });
    expect(await logsIn("alice", "battery-staple")).toBe(false);
    expect(await logsIn("alice", "correct-horse")).toBe(true);
  });

  it("404 without such a user, 422 for a password that is too short", async () => {
    const weak = setPassword(world.forge, "alice", { password: "short", mustChange: false });
    await expect(weak).rejects.toMatchObject({ code: "invalid" });
    const nobody = setPassword(world.forge, "nobody", { password: "correct-horse", mustChange: false });
    await expect(nobody).rejects.toMatchObject({ code: "not-found" });
  });

  it("of several at the same time each is done whole, and the last one holds", async () => {
    holdTimeStill();
    const passwords = ["first-password", "second-password", "third-password"];
    await Promise.all(
      passwords.map((password) => setPassword(world.forge, "alice", { password, mustChange: false })),
    );
    const holding = await Promise.all(passwords.map((password) => logsIn("alice", password)));
    expect(holding.filter(Boolean)).toHaveLength(1);
  });
});
