import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guardLogin } from "#core/user/login-failures";
import { basic, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;

beforeAll(async () => {
  api = await makeApi({ settings: { MAX_LOGIN_FAILURES: "3" } });
});
afterAll(() => api.stop());

const manyAtOnce = async (name: string, password: string, address: string) => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => api.call("GET", "/user", { headers: basic(name, password), address })),
  );
  return [...new Set(answers.map(({ status }) => status))];
};

describe("a client that sends many requests at once", () => {
  it("is let in with all of them by the right password, also when it was not seen before", async () => {
    const { name, password } = await api.makeUser();
    expect(await manyAtOnce(name, password, "203.0.113.1")).toEqual([200]);
  });

  it("one wrong password is one failure, however often it is shown at once; others are counted each", async () => {
    const { name } = await api.makeUser();
    const who = { login: name, address: "203.0.113.2" };
    let runs = 0;
    for (const shown of ["wrong-1", "wrong-2", "wrong-3"]) {
      const run = async () => {
        runs += 1;
        return false;
      };
      const answers = Array.from({ length: 12 }, () => guardLogin(api.forge, who, undefined, { shown, run }));
      expect(new Set(await Promise.all(answers))).toEqual(new Set([false]));
    }
    expect(runs).toBe(3);
    expect(await manyAtOnce(name, "wrong-4", who.address)).toEqual([429]);
  });

  it("one failure counts once, also while it is being written down", async () => {
    const { name } = await api.makeUser();
    const who = { login: name, address: "203.0.113.4" };
    const fail = () => guardLogin(api.forge, who, undefined, { run: async () => false });
    const first = fail();
    await new Promise(setImmediate);
    expect(await Promise.all([first, fail(), fail()])).toEqual([false, false, false]);
    await expect(fail()).rejects.toThrow(/too many failed logins/);
  });

  it("does not vouch for other addresses, nor for other logins with the same password", async () => {
    const [one, other] = [await api.makeUser(), await api.makeUser()];
    const answers = await Promise.all(
      [one.name, other.name, "nobody", "no-one"].map((name) =>
        api.call("GET", "/user", { headers: basic(name, one.password), address: "203.0.113.3" }),
      ),
    );
    expect(answers.map(({ status, json }) => [status, json.login])).toEqual([
      [200, one.name],
      [200, other.name],
      [401, undefined],
      [401, undefined],
    ]);
  });
});
