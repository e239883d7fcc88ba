import { describe, expect, it } from "vitest";
import { finishJobs } from "#tests/support/jobs";
import { api, create, given, path, useApplications } from "./applications-world.ts";

useApplications();

describe("OAuth2 applications (semantics §68.1)", () => {
  it("end with their user", async () => {
    const [admin, gone] = [
      await api.makeUser({ name: "boss", isAdmin: true }),
      await api.makeUser({ name: "gone" }),
    ];
    const { client_id } = await create(given, gone);
    expect((await api.call("DELETE", "/admin/users/gone", { as: admin })).status).toBe(204);
    await finishJobs(api);
    expect(await api.forge.table.get({ pk: `OAUTH2#${client_id}`, sk: "#" })).toBeUndefined();
    expect(await api.forge.table.queryAll({ pk: `U#${gone.user.id}`, prefix: "OAUTH2#" })).toEqual([]);
  });

  it("400 beyond 100 applications of one user, however many are registered at once", async () => {
    const many = await api.makeUser({ name: "many" });
    for (let at = 0; at < 97; at += 1) await create(given, many);
    const register = () => api.call("POST", path, { body: given, as: many });
    const statuses = (await Promise.all(Array.from({ length: 8 }, register))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 201, 201, 400, 400, 400, 400, 400]);
    const answer = await api.call("POST", path, { body: given, as: many });
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain("at most 100 applications");
  });
});
